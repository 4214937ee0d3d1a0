import { CsvNumber, csvLine } from '../../../kernel/values/csv.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import type { BillTo } from '../customers/bill-to.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import { plainAmount } from './invoice-document.ts';

/** The fields of an invoice that its CSV row shows. No lines of invoices are needed. */
export type InvoiceRow = Pick<Invoice, 'number' | 'status' | 'createdAt' | 'dueDate' | 'currency' | 'notes' | (typeof AMOUNTS)[number]> & {
  billTo: Pick<BillTo, 'name' | 'taxId'> | null;
};

const AMOUNTS = ['subtotal', 'taxAmount', 'amount', 'amountPaid', 'creditApplied', 'amountCredited', 'amountDue'] as const;

/** Cells by column name. Columns are named like the fields of the REST API. Clients rely on names and order: add new columns at the end. */
const COLUMNS: Readonly<Record<string, (invoice: InvoiceRow) => unknown>> = {
  number: ({ number }) => number,
  status: ({ status }) => status,
  created_at: ({ createdAt }) => createdAt.toISOString(),
  due_date: ({ dueDate }) => dueDate.toISOString(),
  currency: ({ currency }) => currency,
  bill_to_name: ({ billTo }) => billTo?.name,
  bill_to_tax_id: ({ billTo }) => billTo?.taxId,
  subtotal: ({ subtotal, currency }) => digitsOf(subtotal, currency),
  tax_amount: ({ taxAmount, currency }) => digitsOf(taxAmount, currency),
  amount: ({ amount, currency }) => digitsOf(amount, currency),
  amount_paid: ({ amountPaid, currency }) => digitsOf(amountPaid, currency),
  credit_applied: ({ creditApplied, currency }) => digitsOf(creditApplied, currency),
  amount_credited: ({ amountCredited, currency }) => digitsOf(amountCredited, currency),
  amount_due: ({ amountDue, currency }) => digitsOf(amountDue, currency),
  notes: ({ notes }) => notes,
};

const digitsOf = (amount: Decimal, currency: string): CsvNumber => new CsvNumber(plainAmount(amount, currency));

/** The header line of the CSV of invoices. */
export const INVOICE_CSV_HEADER = csvLine(Object.keys(COLUMNS));

/**
 * Returns the CSV line of an invoice (RFC 4180, UTF-8). Timestamps are ISO 8601, and amounts are plain decimals such as
 * 1234.50. Null becomes an empty cell. Text that a spreadsheet could run as a formula is prefixed with an apostrophe.
 */
export const invoiceCsvLine = (invoice: InvoiceRow): string => csvLine(Object.values(COLUMNS).map((cellOf) => cellOf(invoice)));
