import type { EntityManager } from '../../../kernel/database/database.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { post } from '../ledger/ledger.ts';
import type { Invoice } from './invoice.entity.ts';
import { InvoiceNotChangeable } from './invoice.errors.ts';
import { type InvoiceChanges, invoiceUpdated } from './invoice.events.ts';
import type { InvoiceUpdateInput } from './invoice.inputs.ts';
import { InvoiceStatus, invoiceStates } from './invoice.states.ts';
import { type LineDraft, linesOf, payIfNothingIsDue, totalOf } from './invoice-issue.ts';
import { InvoiceLine } from './invoice-line.entity.ts';
import { pricingProblems } from './invoice-pricing.ts';

/** The new values of an invoice. `lines` replace the present lines. */
export interface InvoiceUpdate extends Pick<InvoiceUpdateInput, 'status' | 'dueDate' | 'notes'> {
  lines?: readonly LineDraft[] | undefined;
}

/**
 * Changes a locked invoice, posts the difference, and records the event. An update without a difference changes nothing.
 * @throws InvoiceNotChangeable, InvalidState, InvalidParameters
 */
export async function changeInvoice(tx: EntityManager, invoice: Invoice, update: InvoiceUpdate, now: Date): Promise<void> {
  const before = { status: invoice.status, due_date: invoice.dueDate, notes: invoice.notes, amount: invoice.amount };
  if (update.lines) await replaceLines(tx, invoice, update.lines, now);
  if (update.notes !== undefined) invoice.notes = update.notes;
  if (update.dueDate) postpone(invoice, update.dueDate);
  if (update.status) await cancel(tx, invoice, now);
  const after = { status: invoice.status, due_date: invoice.dueDate, notes: invoice.notes, amount: invoice.amount };
  const changes = differencesOf(before, after);
  if (Object.keys(changes).length === 0 && !update.lines) return;
  invoice.updatedAt = now;
  const lines = await tx.find(InvoiceLine, { invoiceId: invoice.id }, { orderBy: { position: 'asc' } });
  await record(tx, invoiceUpdated({ invoice, lines }, changes));
  await payIfNothingIsDue(tx, { invoice, lines }, now);
}

/** An invoice that is overdue, and gets a later due date, is pending again. */
function postpone(invoice: Invoice, dueDate: Date): void {
  if (invoice.status === InvoiceStatus.PAID || invoice.status === InvoiceStatus.CANCELLED)
    throw new InvoiceNotChangeable(invoice, invoice.status, `it is ${invoice.status}, so that nothing is due`);
  invoice.dueDate = dueDate;
  invoice.status = InvoiceStatus.PENDING;
}

async function cancel(tx: EntityManager, invoice: Invoice, now: Date): Promise<void> {
  if (invoice.status === InvoiceStatus.CANCELLED) return;
  invoiceStates.check(invoice.status, InvoiceStatus.CANCELLED);
  requireUntouched(invoice);
  const { taxAmount, subtotal } = invoice;
  invoice.moveTo(InvoiceStatus.CANCELLED, now);
  const reversal = { ...sourceOf(invoice, now), credit: 'receivable' } as const;
  await post(tx, { ...reversal, kind: 'cancel', debit: 'revenue', amount: subtotal });
  await post(tx, { ...reversal, kind: 'cancel_tax', debit: 'tax', amount: taxAmount });
}

async function replaceLines(tx: EntityManager, invoice: Invoice, drafts: readonly LineDraft[], now: Date): Promise<void> {
  if (invoice.status !== InvoiceStatus.PENDING)
    throw new InvoiceNotChangeable(
      invoice,
      invoice.status,
      `it is ${invoice.status}, and only the lines of a pending invoice can be changed`,
    );
  if (invoice.source !== null) throw new InvoiceNotChangeable(invoice, 'generated', 'the platform generated its lines');
  if (invoice.deliveryStartedAt) throw new InvoiceNotChangeable(invoice, 'delivered', 'it was sent to the customer');
  requireUntouched(invoice);
  refuse(pricingProblems(drafts, invoice.currency));
  await tx.nativeDelete(InvoiceLine, { invoiceId: invoice.id });
  const lines = linesOf(drafts, invoice);
  tx.persist(lines);
  const difference = totalOf(lines).minus(invoice.amount);
  invoice.amount = totalOf(lines);
  await postDifference(tx, invoice, difference, now);
}

/** The kind of transfer contains the revision, because the lines of an invoice may change several times. */
function postDifference(tx: EntityManager, invoice: Invoice, difference: Decimal, now: Date): Promise<void> {
  const transfer = { ...sourceOf(invoice, now), kind: `change_${invoice.revision}`, amount: difference.abs() };
  return difference.isNegative()
    ? post(tx, { ...transfer, debit: 'revenue', credit: 'receivable' })
    : post(tx, { ...transfer, debit: 'receivable', credit: 'revenue' });
}

const sourceOf = ({ id, organizationId, accountId, currency }: Invoice, at: Date) => ({
  ...{ organizationId, accountId, currency, source: id, invoiceId: id, at },
});

function requireUntouched(invoice: Invoice): void {
  const { amountPaid, amountReserved, amountCredited, creditApplied } = invoice;
  if (!amountReserved.isZero()) throw new InvoiceNotChangeable(invoice, 'in_flight', 'the outcome of a payment is not known yet');
  if (![amountPaid, amountCredited, creditApplied].every((amount) => amount.isZero()))
    throw new InvoiceNotChangeable(invoice, 'paid', 'a part of it was paid or credited');
}

function differencesOf(before: Record<string, unknown>, after: Record<string, unknown>): InvoiceChanges {
  const names = Object.keys(before).filter((name) => String(before[name]) !== String(after[name]));
  return Object.fromEntries(names.map((name) => [name, { from: plain(before[name]), to: plain(after[name]) }]));
}

const plain = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : isDecimal(value) ? value.toNumber() : value);
const isDecimal = (value: unknown): value is Decimal => typeof value === 'object' && value !== null && 'toDecimalPlaces' in value;
