import type { Decimal } from '../../../kernel/values/money.ts';
import { OneByOne } from '../../../kernel/work/one-by-one.ts';
import {
  formatAmount,
  formatDate,
  formatQuantity,
  type InvoiceDocument,
  type InvoiceDocumentLine,
  type InvoiceDocumentTax,
  type InvoiceParty,
} from './invoice-document.ts';
import { type Cell, CONTENT, type Column, PdfWriter, type StyledText, type TextStyle } from './pdf-writer.ts';

const NORMAL: TextStyle = { weight: 'regular', size: 9, color: '#111111' };
const STRONG: TextStyle = { ...NORMAL, weight: 'bold' };
const MUTED: TextStyle = { ...NORMAL, size: 8, color: '#555555' };
const TITLE: TextStyle = { ...STRONG, size: 20 };
const NAME: TextStyle = { ...STRONG, size: 12 };

/** Columns of the PDF: above the table of lines, in the table, and in the totals below the table. */
const COLUMNS = {
  whole: { x: CONTENT.left, width: CONTENT.right - CONTENT.left, align: 'left' },
  wholeRight: { x: CONTENT.left, width: CONTENT.right - CONTENT.left, align: 'right' },
  left: { x: CONTENT.left, width: 270, align: 'left' },
  right: { x: CONTENT.right - 190, width: 190, align: 'left' },
  description: { x: CONTENT.left, width: 215, align: 'left' },
  quantity: { x: CONTENT.left + 220, width: 50, align: 'right' },
  unitPrice: { x: CONTENT.right - 220, width: 105, align: 'right' },
  amount: { x: CONTENT.right - 110, width: 110, align: 'right' },
  totalLabel: { x: CONTENT.left + 220, width: 160, align: 'left' },
} satisfies Record<string, Column>;

const STATUS: Readonly<Record<InvoiceDocument['status'], string>> = {
  pending: 'Pending',
  paid: 'Paid',
  overdue: 'Overdue',
  cancelled: 'Cancelled',
};

/**
 * Creates the PDF of an invoice: A4, in English, with embedded fonts for Latin, Greek and Cyrillic text. A character that
 * the fonts do not have is shown by its code, such as [U+4E2D]. The same document gives the same bytes each time.
 * All PDFs of a process are drawn one after the other, so that many of them do not delay other requests.
 */
export const invoicePdf = (document: InvoiceDocument): Promise<Buffer> => drawings.run(() => draw(document));

const drawings = new OneByOne();

async function draw(document: InvoiceDocument): Promise<Buffer> {
  const { number, seller, issuedAt } = document;
  const title = `Invoice ${number}`;
  const writer = await PdfWriter.create({ title, author: seller.name, language: 'en', createdAt: issuedAt });
  writeHeading(writer, document);
  writeTable(writer, document);
  writeTotals(writer, document);
  writeNotes(writer, document);
  return writer.end((page, pages) => [
    cell(COLUMNS.whole, text(title, MUTED)),
    cell(COLUMNS.wholeRight, text(`Page ${page} of ${pages}`, MUTED)),
  ]);
}

/** Writes the seller and the customer on the left, and the number, dates and status of the invoice beside them. */
function writeHeading(writer: PdfWriter, { number, issuedAt, dueDate, status, seller, billTo }: InvoiceDocument): void {
  writer.rows([[cell(COLUMNS.left, ...party(seller)), cell(COLUMNS.right, text('Invoice', TITLE))]]);
  writer.skip(18);
  const facts = [
    `Invoice number: ${number}`,
    `Issued: ${formatDate(issuedAt)}`,
    `Due: ${formatDate(dueDate)}`,
    `Status: ${STATUS[status]}`,
  ];
  writer.rows([[cell(COLUMNS.left, text('Bill to', MUTED), ...party(billTo)), cell(COLUMNS.right, ...facts.map((fact) => text(fact)))]]);
  writer.skip(22);
}

/** Writes the table of lines. Its head is repeated on each page. */
function writeTable(writer: PdfWriter, { lines, currency }: InvoiceDocument): void {
  const writeHead = () => {
    writer.rows([
      [
        cell(COLUMNS.description, text('Description', STRONG)),
        cell(COLUMNS.quantity, text('Quantity', STRONG)),
        cell(COLUMNS.unitPrice, text('Unit price', STRONG)),
        cell(COLUMNS.amount, text(`Amount (${currency})`, STRONG)),
      ],
    ]);
    writer.skip(3);
    writer.rule();
    writer.skip(5);
  };
  writeHead();
  writer.pageTop = writeHead;
  for (const line of lines) {
    writer.rows([lineRow(line, currency)]);
    writer.skip(5);
  }
  writer.pageTop = null;
}

const lineRow = ({ description, periodText, quantity, unitPrice, amount }: InvoiceDocumentLine, currency: string): Cell[] => [
  cell(COLUMNS.description, text(description), ...optional(periodText, MUTED)),
  cell(COLUMNS.quantity, text(formatQuantity(quantity))),
  cell(COLUMNS.unitPrice, text(formatAmount(unitPrice, currency))),
  cell(COLUMNS.amount, text(formatAmount(amount, currency))),
];

/** Writes the totals of the invoice, from the subtotal to the amount due. */
function writeTotals(writer: PdfWriter, document: InvoiceDocument): void {
  const { currency, subtotal, taxes, amount, credited, creditApplied, paid, amountDue } = document;
  const total = (label: string, value: Decimal, style = NORMAL): Cell[] => [
    cell(COLUMNS.totalLabel, text(label, style)),
    cell(COLUMNS.amount, text(formatAmount(value, currency), style)),
  ];
  const deduction = (label: string, value: Decimal): Cell[][] => (value.isZero() ? [] : [total(label, value.negated())]);
  writer.rule();
  writer.skip(5);
  writer.rows([
    total('Subtotal', subtotal),
    ...taxes.map((tax) => taxRow(tax, currency)),
    total(`Total (${currency})`, amount, STRONG),
    ...deduction('Credit notes', credited),
    ...deduction('Account credit', creditApplied),
    ...deduction('Paid', paid),
    total(`Amount due (${currency})`, amountDue, STRONG),
  ]);
}

const taxRow = ({ name, rate, taxable, amount, reason }: InvoiceDocumentTax, currency: string): Cell[] => [
  cell(COLUMNS.totalLabel, text(`${name} (${rate.toFixed()}% of ${formatAmount(taxable, currency)})`), ...optional(reason, MUTED)),
  cell(COLUMNS.amount, text(formatAmount(amount, currency))),
];

/** Writes the notes of the invoice, and the footer of the seller. */
function writeNotes(writer: PdfWriter, { notes, seller: { footer } }: InvoiceDocument): void {
  const texts = [...(notes === null ? [] : [[text('Notes', STRONG), text(notes)]]), ...(footer === null ? [] : [[text(footer)]])];
  for (const shown of texts) {
    writer.skip(16);
    writer.rows([[cell(COLUMNS.whole, ...shown)]]);
  }
}

const party = ({ name, address, taxId }: InvoiceParty): StyledText[] => [
  text(name, NAME),
  ...address.map((line) => text(line)),
  ...optional(taxId === null ? null : `Tax ID: ${taxId}`),
];

const cell = (column: Column, ...texts: StyledText[]): Cell => ({ column, texts });

const text = (value: string, style: TextStyle = NORMAL): StyledText => ({ text: value, style });

const optional = (value: string | null, style?: TextStyle): StyledText[] => (value === null ? [] : [text(value, style)]);
