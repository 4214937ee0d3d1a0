import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { nextNumber } from '../../../kernel/records/numbers.ts';
import { type Decimal, sum } from '../../../kernel/values/money.ts';
import type { Period } from '../calculation/billing-periods.ts';
import { billToOf, type Customer } from '../customers/customer.ts';
import { Invoice } from './invoice.entity.ts';
import { type IssuedInvoice, invoicePaid } from './invoice.events.ts';
import { InvoiceStatus } from './invoice.states.ts';
import { InvoiceLine } from './invoice-line.entity.ts';
import { lineAmount, type Priced } from './invoice-pricing.ts';
import type { LineKind } from './line-kind.ts';

const PAYMENT_TERM_MS = 30 * 24 * 3600 * 1000;

/** Returns the due date of an invoice if none is given: 30 days after `issuedAt`. */
export const defaultDueDate = (issuedAt: Date): Date => new Date(issuedAt.getTime() + PAYMENT_TERM_MS);

export interface InvoiceDraft {
  organizationId: string;
  customer: Customer;
  currency: string;
  dueDate: Date;
  notes: string | null;
  /** Id of the event that caused the invoice. Null if a request caused it. */
  source: string | null;
  /** Subscription that the invoice bills. Default: none. */
  subscriptionId?: string;
  lines: readonly LineDraft[];
}

export interface LineDraft extends Priced {
  serviceId: string;
  description: string;
  /** Category of the service in the catalog. */
  category: string;
  /** Default: what a request states. */
  kind?: LineKind;
  /** Item of a subscription. Default: none. */
  itemId?: string;
  /** Period that the line bills. Default: none. */
  period?: Period;
}

/**
 * Creates an invoice from a draft: assigns its number, and computes the amounts of the lines and the total. The database
 * posts it to the ledger. The caller must record the event about the new invoice, and then call `payIfNothingIsDue`.
 */
export async function issueInvoice(
  tx: EntityManager,
  { lines: drafts, customer, ...draft }: InvoiceDraft,
  now: Date,
): Promise<IssuedInvoice> {
  const number = `INV-${await nextNumber(tx, 'invoice_counter', draft.organizationId)}`;
  const invoice = Object.assign(new Invoice(), draft, { id: newId('invoice'), number, createdAt: now, updatedAt: now });
  Object.assign(invoice, { accountId: customer.accountId, billTo: billToOf(customer, null), timezone: customer.timezone });
  const lines = linesOf(drafts, invoice);
  invoice.amount = totalOf(lines);
  tx.persist([invoice, ...lines]);
  return { invoice, lines };
}

/** Creates the lines of an invoice, with their rounded amounts. */
export const linesOf = (drafts: readonly LineDraft[], { id, organizationId, currency }: Invoice): InvoiceLine[] =>
  drafts.map(({ period, ...draft }, position) =>
    Object.assign(new InvoiceLine(), draft, {
      ...{ invoiceId: id, position, organizationId, amount: lineAmount(draft, currency) },
      ...{ periodStart: period?.start ?? null, periodEnd: period?.end ?? null },
    }),
  );

export const totalOf = (lines: readonly InvoiceLine[]): Decimal => sum(lines.map(({ amount }) => amount));

/** An invoice about nothing is paid without a payment. */
export async function payIfNothingIsDue(tx: EntityManager, issued: IssuedInvoice, now: Date): Promise<void> {
  const { invoice } = issued;
  if (invoice.status !== InvoiceStatus.PENDING || !invoice.amountDue.isZero()) return;
  invoice.moveTo(InvoiceStatus.PAID, now);
  await record(tx, invoicePaid(issued, InvoiceStatus.PENDING, null));
}
