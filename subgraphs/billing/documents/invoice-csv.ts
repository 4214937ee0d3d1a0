import { sum } from '../../../kernel/values/money.ts';
import { type InvoiceDocument, plainAmount } from './invoice-document.ts';

/** The part of an invoice that its CSV row shows. Callers do not need to read the lines of the invoices. */
export type InvoiceRow = Omit<InvoiceDocument, 'seller' | 'lines'>;

/** Matches text that a spreadsheet program could run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

/** Cells by column name. Columns are named like the fields of the REST API. Clients rely on names and order: add new columns at the end. */
const COLUMNS: Readonly<Record<string, (invoice: InvoiceRow) => string>> = {
  number: ({ number }) => userText(number),
  status: ({ status }) => status,
  created_at: ({ issuedAt }) => issuedAt.toISOString(),
  due_date: ({ dueDate }) => dueDate.toISOString(),
  currency: ({ currency }) => currency,
  bill_to_name: ({ billTo }) => userText(billTo.name),
  bill_to_tax_id: ({ billTo }) => userText(billTo.taxId),
  subtotal: ({ subtotal, currency }) => plainAmount(subtotal, currency),
  tax_amount: ({ taxes, currency }) => plainAmount(sum(taxes.map(({ amount }) => amount)), currency),
  amount: ({ amount, currency }) => plainAmount(amount, currency),
  amount_paid: ({ paid, currency }) => plainAmount(paid, currency),
  credit_applied: ({ creditApplied, currency }) => plainAmount(creditApplied, currency),
  amount_credited: ({ credited, currency }) => plainAmount(credited, currency),
  amount_due: ({ amountDue, currency }) => plainAmount(amountDue, currency),
  notes: ({ notes }) => userText(notes),
};

/**
 * Writes invoices as CSV (RFC 4180, UTF-8): first a header line, then one line for each invoice. Yields line by line, so that
 * a response can be streamed. Timestamps are ISO 8601, and amounts are plain decimals such as 1234.50. Null becomes an
 * empty cell. Text that a spreadsheet could run as a formula is prefixed with an apostrophe.
 */
export async function* invoiceCsv(invoices: Iterable<InvoiceRow> | AsyncIterable<InvoiceRow>): AsyncGenerator<string> {
  yield lineOf(Object.keys(COLUMNS));
  for await (const invoice of invoices) yield lineOf(Object.values(COLUMNS).map((cellOf) => cellOf(invoice)));
}

const lineOf = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

const quoted = (cell: string): string => (QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Returns a text of a user so that it is not a formula. Amounts must not go through it: -5.00 is not a formula. */
function userText(text: string | null): string {
  if (text === null) return '';
  return FORMULA.test(text) ? `'${text}` : text;
}
