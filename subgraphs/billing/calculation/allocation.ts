import { Decimal } from '../../../kernel/values/money.ts';

/** The fields of an invoice that determine when money is allocated to it, and how much. */
export interface OpenInvoice {
  id: string;
  currency: string;
  dueDate: Date;
  createdAt: Date;
  /** The amount that is neither paid nor reserved by a payment in progress. */
  amountOpen: Decimal;
}

/** Money allocated to invoices. The allocated parts and the unallocated amount (`rest`) add up to the given money. */
export interface Allocation<I extends OpenInvoice> {
  /** Allocations to invoices, in the order of the due dates. All amounts are greater than 0. */
  parts: { invoice: I; amount: Decimal }[];
  /** The part of the money that is left after all open invoices are paid. */
  rest: Decimal;
}

/**
 * Allocates a credit or payment to the open invoices of its currency, the earliest due date first. Invoices with the same due date are
 * ordered by creation time and, with the same creation time, by id. An invoice gets at most its open amount.
 */
export function allocate<I extends OpenInvoice>(
  invoices: readonly I[],
  { amount, currency }: { amount: Decimal; currency: string },
): Allocation<I> {
  const parts: Allocation<I>['parts'] = [];
  let rest = amount;
  for (const invoice of invoices.filter((other) => other.currency === currency).sort(byDueDate)) {
    const part = Decimal.min(rest, invoice.amountOpen);
    if (!part.greaterThan(0)) continue;
    parts.push({ invoice, amount: part });
    rest = rest.minus(part);
  }
  return { parts, rest };
}

const byDueDate = (one: OpenInvoice, other: OpenInvoice): number =>
  one.dueDate.getTime() - other.dueDate.getTime() || one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1);
