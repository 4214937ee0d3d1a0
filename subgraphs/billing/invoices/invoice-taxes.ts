import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal, sum } from '../../../kernel/values/money.ts';
import { type InvoiceTax as TaxAmount, taxesOf } from '../calculation/taxes.ts';
import { ratesOf, type TaxTerms } from '../taxes/tax-terms.ts';
import type { Invoice } from './invoice.entity.ts';
import type { InvoiceLine } from './invoice-line.entity.ts';
import { InvoiceTax } from './invoice-tax.entity.ts';

/**
 * Computes the taxes of an invoice by its terms. It stores in each line the rates that apply, so that credits for the line give
 * the same taxes back, and it sets the amounts of the invoice. The caller persists the taxes.
 */
export async function taxInvoice(
  tx: EntityManager,
  invoice: Invoice,
  lines: readonly InvoiceLine[],
  terms: TaxTerms,
): Promise<InvoiceTax[]> {
  const ratesIn = await ratesOf(tx, terms);
  const taxed = lines.map((line) => ({ line, net: line.amount, rates: ratesIn(line.category), exemption: terms.exemption }));
  for (const { line, rates } of taxed) line.taxRateIds = rates.map(({ id }) => id);
  const taxes = taxesOf(taxed, invoice.currency).map((tax, position) => entityOf(invoice, tax, position));
  invoice.taxAmount = sum(taxes.map(({ amount }) => amount));
  invoice.amount = sum(lines.map(({ amount }) => amount)).plus(invoice.taxAmount);
  return taxes;
}

const entityOf = ({ id, organizationId }: Invoice, { rate, exemption, taxable, amount }: TaxAmount, position: number): InvoiceTax =>
  Object.assign(new InvoiceTax(), {
    ...{ invoiceId: id, position, organizationId, rateId: rate?.id ?? null, taxable, amount, reason: exemption },
    ...{ name: rate?.name ?? 'Exempt', percent: rate?.percent ?? new Decimal(0) },
  });
