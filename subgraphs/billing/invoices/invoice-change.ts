import type { EntityManager } from '../../../kernel/database/database.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { post } from '../ledger/ledger.ts';
import { ratesOf } from '../taxes/tax-terms.ts';
import type { Invoice } from './invoice.entity.ts';
import { InvoiceNotChangeable } from './invoice.errors.ts';
import { type InvoiceChanges, invoiceUpdated } from './invoice.events.ts';
import type { InvoiceUpdateInput } from './invoice.inputs.ts';
import { InvoiceStatus, invoiceStates } from './invoice.states.ts';
import { applyCredit, giveCreditBack } from './invoice-credit.ts';
import { type LineDraft, linesOf, payIfNothingIsDue } from './invoice-issue.ts';
import { InvoiceLine } from './invoice-line.entity.ts';
import { amountProblems, pricingProblems } from './invoice-pricing.ts';
import { InvoiceTax } from './invoice-tax.entity.ts';
import { taxInvoice } from './invoice-taxes.ts';
import { issuedOf } from './issued-invoice.ts';

/** The new values of an invoice. If `lines` is set, it replaces all lines. */
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
  const issued = await issuedOf(tx, invoice);
  await record(tx, invoiceUpdated(issued, changes));
  await payIfNothingIsDue(tx, issued, now);
  // credit that the change gave back, or that the larger amount can use
  if (update.lines || update.status) await applyCredit(tx, invoice, now);
}

/** Sets a later due date. An overdue invoice becomes pending again. */
function postpone(invoice: Invoice, dueDate: Date): void {
  if (invoice.status === InvoiceStatus.PAID || invoice.status === InvoiceStatus.CANCELLED)
    throw new InvoiceNotChangeable(invoice, invoice.status, `it is ${invoice.status}, so that nothing is due`);
  invoice.dueDate = dueDate;
  invoice.status = InvoiceStatus.PENDING;
}

async function cancel(tx: EntityManager, invoice: Invoice, now: Date): Promise<void> {
  if (invoice.status === InvoiceStatus.CANCELLED) return;
  invoiceStates.check(invoice.status, InvoiceStatus.CANCELLED);
  requireUnpaid(invoice);
  // first, because the receivables of the account must not become negative
  await giveCreditBack(tx, invoice, now);
  const { amount, amountCredited, taxAmount, taxReversed } = invoice;
  const tax = taxAmount.minus(taxReversed);
  invoice.moveTo(InvoiceStatus.CANCELLED, now);
  const reversal = { ...sourceOf(invoice, now), credit: 'receivable' } as const;
  await post(tx, { ...reversal, kind: 'cancel', debit: 'revenue', amount: amount.minus(amountCredited).minus(tax) });
  await post(tx, { ...reversal, kind: 'cancel_tax', debit: 'tax', amount: tax });
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
  requireUnpaid(invoice);
  if (!invoice.amountCredited.isZero()) throw new InvoiceNotChangeable(invoice, 'paid', 'a part of it was credited');
  refuse(pricingProblems(drafts, invoice.currency));
  await giveCreditBack(tx, invoice, now);
  await tx.nativeDelete(InvoiceLine, { invoiceId: invoice.id });
  await tx.nativeDelete(InvoiceTax, { invoiceId: invoice.id });
  const { subtotal, taxAmount, revision } = invoice;
  const lines = linesOf(drafts, invoice);
  const terms = invoice.taxTerms ?? UNTAXED;
  const taxes = taxInvoice(invoice, lines, terms, await ratesOf(tx, [terms]));
  refuse(amountProblems(invoice.amount));
  tx.persist([...lines, ...taxes]);
  // the kinds contain the revision, because the lines of an invoice may change several times
  await postDifference(tx, invoice, { kind: `change_${revision}`, of: 'revenue', amount: invoice.subtotal.minus(subtotal) }, now);
  await postDifference(tx, invoice, { kind: `change_tax_${revision}`, of: 'tax', amount: invoice.taxAmount.minus(taxAmount) }, now);
}

/** Tax terms of invoices from earlier releases, which have no taxes. */
const UNTAXED = { country: null, region: null, day: '', exemption: null };

interface Difference {
  kind: string;
  of: 'revenue' | 'tax';
  amount: Decimal;
}

function postDifference(tx: EntityManager, invoice: Invoice, { kind, of, amount }: Difference, now: Date): Promise<void> {
  const transfer = { ...sourceOf(invoice, now), kind, amount: amount.abs() };
  return amount.isNegative()
    ? post(tx, { ...transfer, debit: of, credit: 'receivable' })
    : post(tx, { ...transfer, debit: 'receivable', credit: of });
}

const sourceOf = ({ id, organizationId, accountId, currency }: Invoice, at: Date) => ({
  ...{ organizationId, accountId, currency, source: id, invoiceId: id, at },
});

/** Checks that no payment has paid any part of the invoice. Credit that was used for the invoice is allowed, because it is given back. */
function requireUnpaid(invoice: Invoice): void {
  const { amountPaid, amountReserved, amountReturned } = invoice;
  if (!amountReserved.isZero()) throw new InvoiceNotChangeable(invoice, 'in_flight', 'the outcome of a payment is not known yet');
  if (!amountPaid.isZero()) throw new InvoiceNotChangeable(invoice, 'paid', 'a part of it was paid');
  if (!amountReturned.isZero()) throw new InvoiceNotChangeable(invoice, 'paid', 'a part of it was given back as credit');
}

function differencesOf(before: Record<string, unknown>, after: Record<string, unknown>): InvoiceChanges {
  const names = Object.keys(before).filter((name) => String(before[name]) !== String(after[name]));
  return Object.fromEntries(names.map((name) => [name, { from: plain(before[name]), to: plain(after[name]) }]));
}

const plain = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : isDecimal(value) ? value.toNumber() : value);
const isDecimal = (value: unknown): value is Decimal => typeof value === 'object' && value !== null && 'toDecimalPlaces' in value;
