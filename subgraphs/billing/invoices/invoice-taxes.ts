import { Decimal, sum } from '../../../kernel/values/money.ts';
import { type InvoiceTax as TaxAmount, taxesOf } from '../calculation/taxes.ts';
import type { ratesOf, TaxTerms } from '../taxes/tax-terms.ts';
import type { Invoice } from './invoice.entity.ts';
import type { InvoiceLine } from './invoice-line.entity.ts';
import { InvoiceTax } from './invoice-tax.entity.ts';

/**
 * Computes the taxes of an invoice from its tax terms and the tax rates (`ratesOf`). It stores the applied rates in each line, so that
 * later credits for the line give the same taxes back. It also sets the amounts of the invoice. The caller persists the taxes.
 */
export function taxInvoice(
  invoice: Invoice,
  lines: readonly InvoiceLine[],
  terms: TaxTerms,
  ratesIn: Awaited<ReturnType<typeof ratesOf>>,
): InvoiceTax[] {
  const taxed = lines.map((line) => ({ line, net: line.amount, rates: ratesIn(terms, line.category), exemption: terms.exemption }));
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
