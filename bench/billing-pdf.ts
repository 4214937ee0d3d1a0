import { Decimal } from '../kernel/values/money.ts';
import type { InvoiceDocument } from '../subgraphs/billing/documents/invoice-document.ts';
import { invoicePdf } from '../subgraphs/billing/documents/invoice-pdf.ts';

export interface PdfRow {
  name: string;
  p50Ms: number;
  p99Ms: number;
  sizeKiB: number;
}

const ROUNDS = 100;
const LINES = [1, 100];

/** Measurement (o): draws the PDF of an invoice in this process, without reading the invoice. */
export async function measurePdf(): Promise<PdfRow[]> {
  const measured: PdfRow[] = [];
  for (const lines of LINES) {
    const document = invoiceOf(lines);
    // not measured: it reads the fonts and compiles the code
    for (let round = 0; round < 5; round += 1) await invoicePdf(document);
    const times: number[] = [];
    let size = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const started = performance.now();
      size = (await invoicePdf(document)).length;
      times.push(performance.now() - started);
    }
    times.sort((one, other) => one - other);
    const at = (share: number): number => Number((times[Math.floor(ROUNDS * share)] ?? 0).toFixed(1));
    measured.push({ name: `${lines} lines`, p50Ms: at(0.5), p99Ms: at(0.99), sizeKiB: Number((size / 1024).toFixed(1)) });
  }
  return measured;
}

function invoiceOf(count: number): InvoiceDocument {
  const price = new Decimal('599.99');
  const subtotal = price.times(count);
  const tax = subtotal.times('0.2').toDecimalPlaces(2);
  const none = new Decimal(0);
  const lines = Array.from({ length: count }, (_, index) => ({
    ...{ description: `Business fiber 1 Gbit/s, ${index + 1} Hafenstraße, Hamburg`, quantity: 1, unitPrice: price, amount: price },
    periodText: '2026-01-01 to 2026-01-31',
  }));
  return {
    ...{ number: 'INV-1042', issuedAt: new Date('2026-01-31T10:00:00Z'), dueDate: new Date('2026-03-02T10:00:00Z') },
    ...{ status: 'pending', currency: 'EUR', notes: null, lines, subtotal },
    seller: { name: 'Example Telecom GmbH', address: ['Hafenstraße 12', '20457 Hamburg'], taxId: 'DE123456789', footer: null },
    billTo: { name: 'Acme Corporation', address: ['350 Fifth Avenue', 'New York, NY 10118'], taxId: null },
    taxes: [{ name: 'VAT', rate: new Decimal(20), taxable: subtotal, amount: tax, reason: null }],
    ...{ amount: subtotal.plus(tax), paid: none, creditApplied: none, credited: none, amountDue: subtotal.plus(tax) },
  };
}
