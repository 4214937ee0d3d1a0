import type { Seller } from '../invoice-settings/seller.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import type { InvoiceLine } from '../invoices/invoice-line.entity.ts';
import { dateIn, type InvoiceDocument, type InvoiceDocumentLine, type InvoiceDocumentTax, type InvoiceParty } from './invoice-document.ts';

/** An invoice with all data that its document shows. */
export interface InvoiceParts {
  invoice: Invoice;
  /** Lines of the invoice, in their order on the invoice. */
  lines: readonly InvoiceLine[];
  taxes: readonly InvoiceDocumentTax[];
  /** Current seller and customer. They are used for an invoice of an earlier release, which did not store them. */
  present: { seller: Seller; billTo: InvoiceParty } | null;
}

/** Returns the document of an invoice. It contains the invoice as issued, and the payments since the issue. */
export function documentOf({ invoice, lines, taxes, present }: InvoiceParts): InvoiceDocument {
  const { number, createdAt, dueDate, status, currency, subtotal, amount, creditApplied, amountDue, notes } = invoice;
  const seller = invoice.seller ?? present?.seller;
  const billTo = invoice.billTo ?? present?.billTo;
  if (!seller || !billTo) throw new Error(`The document of ${invoice.id} needs a seller and a customer.`);
  return {
    ...{ number, issuedAt: createdAt, dueDate, status, currency, seller, billTo, subtotal, taxes, amount, creditApplied, amountDue, notes },
    lines: lines.map((line) => lineOf(line, invoice.timezone ?? 'UTC')),
    paid: invoice.amountPaid,
    credited: invoice.amountCredited,
  };
}

const lineOf = ({ description, quantity, unitPrice, amount, periodStart, periodEnd }: InvoiceLine, zone: string): InvoiceDocumentLine => ({
  ...{ description, quantity, unitPrice, amount },
  // the end is exclusive, and people expect the last day
  periodText: periodStart && periodEnd && `${dateIn(periodStart, zone)} to ${dateIn(new Date(periodEnd.getTime() - 1), zone)}`,
});
