import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { type Decimal, isPayable, minorDigits, roundTo, sum } from '../../../kernel/values/money.ts';

export const DEFAULT_CURRENCY = 'USD';

/**
 * Exclusive upper limit of the total of an invoice. Below this limit, JSON numbers represent amounts with two decimals exactly, and amounts
 * with four decimals fit into their database column.
 */
const AMOUNT_LIMIT = 1e12;

export interface Priced {
  quantity: number;
  unitPrice: Decimal;
}

/** Computes the rounded amount of a line. Totals are sums of these amounts and need no further rounding. */
export const lineAmount = ({ quantity, unitPrice }: Priced, currency: string): Decimal => roundTo(unitPrice.times(quantity), currency);

export const totalAmount = (lines: readonly Priced[], currency: string): Decimal => sum(lines.map((line) => lineAmount(line, currency)));

/** Lists the problems with the prices of the lines in a request. Lines without a price or quantity are skipped. */
export function pricingProblems(lines: readonly (Partial<Priced> | null)[], currency: string): FieldProblem[] {
  const problems = lines.flatMap((line, index): FieldProblem[] => {
    const { unitPrice } = line ?? {};
    const reason = unitPrice && priceProblem(unitPrice, currency);
    return reason ? [{ field: `services.${index}.unitPrice`, value: unitPrice.toNumber(), reason }] : [];
  });
  if (problems.length > 0 || !lines.every(isPriced) || totalAmount(lines, currency).lessThan(AMOUNT_LIMIT)) return problems;
  return [{ field: 'services', reason: `must amount to less than ${AMOUNT_LIMIT} in total` }];
}

/** Returns the problem with the total of an invoice, including taxes; empty if there is none. */
export const amountProblems = (amount: Decimal): FieldProblem[] =>
  amount.lessThan(AMOUNT_LIMIT) ? [] : [{ field: 'services', reason: `must amount to less than ${AMOUNT_LIMIT} in total, with taxes` }];

const isPriced = (line: Partial<Priced> | null): line is Priced => line?.quantity !== undefined && line.unitPrice !== undefined;

function priceProblem(price: Decimal, currency: string): string | undefined {
  if (price.isNegative() && !price.isZero()) return 'must be at least 0';
  if (isPayable(price, currency)) return undefined;
  const digits = minorDigits(currency);
  return digits === 0 ? `must be a whole number of ${currency}` : `must have at most ${digits} decimals in ${currency}`;
}
