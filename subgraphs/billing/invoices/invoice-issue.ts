import type { EntityManager } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { nextNumber } from '../../../kernel/records/numbers.ts';
import { sum } from '../../../kernel/values/money.ts';
import { Invoice } from './invoice.entity.ts';
import type { IssuedInvoice } from './invoice.events.ts';
import { InvoiceLine } from './invoice-line.entity.ts';
import { lineAmount, type Priced } from './invoice-pricing.ts';

const PAYMENT_TERM_MS = 30 * 24 * 3600 * 1000;

/** Returns the default due date of an invoice. */
export const defaultDueDate = (issuedAt: Date): Date => new Date(issuedAt.getTime() + PAYMENT_TERM_MS);

export interface InvoiceDraft {
  organizationId: string;
  accountId: string;
  currency: string;
  dueDate: Date;
  notes: string | null;
  /** Id of the event that caused the invoice. Null if a request caused it. */
  source: string | null;
  lines: readonly LineDraft[];
}

interface LineDraft extends Priced {
  serviceId: string;
  description: string;
}

/**
 * Creates an invoice from a draft: assigns its number, and computes the amounts of the lines and the total. The caller
 * must record the event about the new invoice.
 */
export async function issueInvoice(tx: EntityManager, { lines: drafts, ...draft }: InvoiceDraft, now: Date): Promise<IssuedInvoice> {
  const id = newId('invoice');
  const lines = drafts.map((line, position) => lineOf(line, { invoiceId: id, position, draft }));
  const number = `INV-${await nextNumber(tx, 'invoice_counter', draft.organizationId)}`;
  const amount = sum(lines.map((line) => line.amount));
  const invoice = Object.assign(new Invoice(), draft, { id, number, amount, createdAt: now, updatedAt: now });
  tx.persist([invoice, ...lines]);
  return { invoice, lines };
}

interface Place {
  invoiceId: string;
  position: number;
  draft: Pick<InvoiceDraft, 'organizationId' | 'currency'>;
}

const lineOf = (line: LineDraft, { invoiceId, position, draft: { organizationId, currency } }: Place): InvoiceLine =>
  Object.assign(new InvoiceLine(), line, { invoiceId, position, organizationId, amount: lineAmount(line, currency) });
