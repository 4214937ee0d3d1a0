import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../kernel/values/money.ts';
import { InvoiceStatus } from '../invoices/invoice.states.ts';
import { INVOICE_CSV_HEADER, type InvoiceRow, invoiceCsvLine } from './invoice-csv.ts';

const invoice = (changes: Partial<InvoiceRow> = {}): InvoiceRow => ({
  number: 'INV-1042',
  createdAt: new Date('2026-01-31T10:00:00.000Z'),
  dueDate: new Date('2026-03-02T10:00:00.000Z'),
  status: InvoiceStatus.OVERDUE,
  currency: 'EUR',
  billTo: { name: 'Example AB', taxId: null },
  subtotal: new Decimal('1000'),
  taxAmount: new Decimal('231'),
  amount: new Decimal('1231'),
  amountPaid: new Decimal('31.5'),
  creditApplied: new Decimal('0'),
  amountCredited: new Decimal('0'),
  amountDue: new Decimal('1199.5'),
  notes: null,
  ...changes,
});

const csvOf = (invoices: readonly InvoiceRow[]): string => INVOICE_CSV_HEADER + invoices.map(invoiceCsvLine).join('');

/** A CSV parser that follows the grammar of RFC 4180 character by character, and rejects everything else. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (at >= text.length) throw new Error('A quoted cell has no end.');
        if (text[at] === '"') at++;
        cell += text[at];
      }
      at++;
    } else {
      while (at < text.length && !',\r\n"'.includes(text[at] ?? '')) cell += text[at++];
    }
    row.push(cell);
    if (text[at] === ',') at++;
    else if (text.startsWith('\r\n', at)) {
      rows.push(row);
      row = [];
      at += 2;
    } else throw new Error(`Unexpected character at ${at}.`);
  }
  return rows;
}

/** Parses a CSV text and returns its rows as objects. The header line contains the names of the fields. */
function recordsOf(csv: string): Record<string, string>[] {
  const [header = [], ...rows] = parseCsv(csv);
  expect(rows.filter((row) => row.length !== header.length)).toEqual([]);
  return rows.map((row) => Object.fromEntries(row.map((cell, index) => [header[index] ?? '', cell])));
}

test('the CSV of an invoice has a stable header, plain amounts and ISO timestamps', () => {
  const header = [
    ...['number', 'status', 'created_at', 'due_date', 'currency', 'bill_to_name', 'bill_to_tax_id', 'subtotal', 'tax_amount', 'amount'],
    ...['amount_paid', 'credit_applied', 'amount_credited', 'amount_due', 'notes'],
  ];
  const row =
    'INV-1042,overdue,2026-01-31T10:00:00.000Z,2026-03-02T10:00:00.000Z,EUR,Example AB,,1000.00,231.00,1231.00,31.50,0.00,0.00,1199.50,';
  expect(csvOf([invoice()])).toBe(`${header.join(',')}\r\n${row}\r\n`);
});

test('the CSV of no invoices is only the header', () => {
  expect(parseCsv(csvOf([]))).toHaveLength(1);
});

test('amounts in CSV have the decimal digits of their currency', () => {
  const [yen, dinar] = recordsOf(csvOf([invoice({ currency: 'JPY' }), invoice({ currency: 'KWD' })]));
  expect([yen?.amount, dinar?.amount]).toEqual(['1231', '1231.000']);
});

test('an invoice of an earlier release, which names no customer, has empty cells for the customer', () => {
  const [record] = recordsOf(csvOf([invoice({ billTo: null })]));
  expect([record?.bill_to_name, record?.bill_to_tax_id]).toEqual(['', '']);
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("http://example.com","a")'])(
  'the text %j of a user is not a formula in the CSV of invoices',
  (text) => {
    const [record] = recordsOf(csvOf([invoice({ notes: text, billTo: { name: text, taxId: text } })]));
    expect([record?.notes, record?.bill_to_name, record?.bill_to_tax_id]).toEqual([`'${text}`, `'${text}`, `'${text}`]);
  },
);

test('a negative amount in the CSV of invoices stays a number', () => {
  const [record] = recordsOf(csvOf([invoice({ amountDue: new Decimal(-5) })]));
  expect(record?.amount_due).toBe('-5.00');
});

test('any text in the CSV of invoices can be read back, and is never a formula', () => {
  const special = fc.constantFrom('"', ',', '\r', '\n', '\r\n', '=', '+', '-', '@', '\t', "'", 'é', '😀', ' ');
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.array(fc.oneof(special, fc.string({ maxLength: 3 })), { maxLength: 10 }).map((parts) => parts.join('')),
  );
  const starters = ['=', '+', '-', '@', '\t', '\r'];
  const shown = (value: string | null) => (starters.includes((value ?? '').charAt(0)) ? `'${value}` : (value ?? ''));
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.option(text), fc.option(text)), { maxLength: 5 }), (texts) => {
      const csv = csvOf(texts.map(([name, taxId, notes]) => invoice({ notes, billTo: { name, taxId } })));
      const records = recordsOf(csv);
      expect(records.map((record) => [record.bill_to_name, record.bill_to_tax_id, record.notes])).toEqual(
        texts.map((values) => values.map(shown)),
      );
    }),
  );
});
