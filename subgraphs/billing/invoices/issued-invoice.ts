import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Invoice } from './invoice.entity.ts';
import { InvoiceLine } from './invoice-line.entity.ts';
import { InvoiceTax } from './invoice-tax.entity.ts';

/** An invoice with its lines and taxes, both in the order of their `position`. */
export interface IssuedInvoice {
  invoice: Invoice;
  lines: InvoiceLine[];
  taxes: InvoiceTax[];
}

/** Reads the lines and taxes of an invoice, in the transaction that has locked or created it. */
export async function issuedOf(tx: EntityManager, invoice: Invoice): Promise<IssuedInvoice> {
  const own = { invoiceId: invoice.id };
  const inOrder = { orderBy: { position: 'asc' } } as const;
  return { invoice, lines: await tx.find(InvoiceLine, own, inOrder), taxes: await tx.find(InvoiceTax, own, inOrder) };
}
