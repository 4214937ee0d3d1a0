import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { dayStart } from '../../../kernel/values/days.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { invoiceOverdue, invoiceUpdated } from '../invoices/invoice.events.ts';
import { InvoiceStatus } from '../invoices/invoice.states.ts';
import { closeIfCovered } from '../invoices/invoice-closing.ts';
import { applyCredit } from '../invoices/invoice-credit.ts';
import { issuedOf } from '../invoices/issued-invoice.ts';
import { post, transferOf } from '../ledger/ledger.ts';
import { Payment } from '../payments/payment.entity.ts';
import { methodOf, requireSettled } from '../payments/settlement.ts';
import { postWithdrawal } from '../payments/withdrawal.ts';
import type { DisputeState, ProcessorNotice } from '../processors/payment-processor.ts';
import { Dispute } from './dispute.entity.ts';
import { paymentDisputeClosed, paymentDisputed } from './dispute.events.ts';
import { DisputeStatus } from './dispute.states.ts';

export type DisputeNotice = Extract<ProcessorNotice, { kind: 'dispute' }>;

/** Kind of the ledger transfer for a dispute of a written-off invoice. It writes off the amount that the dispute makes due again. */
const WRITTEN_OFF = 'dispute_written_off';

interface Disputed {
  invoice: Invoice;
  payment: Payment;
  dispute: Dispute;
}

/**
 * Records a dispute report of the processor only once: repeated and late reports change nothing. An older report cannot change a dispute
 * that is won. The invoice is locked before the payment, as in `settlePayment`.
 */
export async function settleDispute(tx: EntityManager, paymentId: string, notice: DisputeNotice, now: Date): Promise<void> {
  const { invoiceId } = await tx.findOneOrFail(Payment, { id: paymentId });
  // only a charge that has succeeded can be disputed
  await requireSettled(tx, paymentId, notice.charge, now);
  const invoice = await tx.findOneOrFail(Invoice, { id: invoiceId }, LOCKED);
  const payment = await tx.findOneOrFail(Payment, { id: paymentId }, { ...LOCKED, refresh: true });
  const known = await tx.findOne(Dispute, { paymentId, reference: notice.reference });
  const dispute = known ?? created(payment, notice, now);
  if (!known) tx.persist(dispute);
  const disputed = { invoice, payment, dispute };
  if (!known && notice.state !== 'won') await open(tx, disputed, now);
  // a dispute that is won before it was open, such as an inquiry of the bank, has taken no money
  const hasTaken = known !== null || notice.state !== 'won';
  if (isNews(known, notice.state)) await close(tx, disputed, { state: notice.state, hasTaken }, now);
}

/**
 * Returns true if the report closes the dispute or changes its result. A lost dispute can still be won, but a won dispute cannot be lost.
 */
function isNews(known: Dispute | null, state: DisputeState): state is 'won' | 'lost' {
  if (state === 'open' || known?.status === DisputeStatus.WON) return false;
  return known?.status !== state;
}

function created({ id: paymentId, organizationId, accountId, currency }: Payment, notice: DisputeNotice, now: Date): Dispute {
  const { reference, amount, reason } = notice;
  return Object.assign(new Dispute(), {
    ...{ id: newId('dispute'), organizationId, accountId, paymentId, reference, amount, currency, reason },
    ...{ status: DisputeStatus.OPEN, createdAt: now, updatedAt: now },
  });
}

/**
 * Records that the processor has taken the money of a disputed payment back. The amount that the payment had paid, minus refunds, is due
 * again.
 */
async function open(tx: EntityManager, disputed: Disputed, now: Date): Promise<void> {
  const { invoice, payment, dispute } = disputed;
  const { organizationId, accountId, currency, id: source, amount } = dispute;
  const { amountPaid, amountRefunded, amountReturnable } = invoice;
  const reopened = Decimal.min(amount, payment.amountRefundable, amountPaid.minus(amountRefunded), amountReturnable);
  dispute.amountReopened = reopened;
  payment.amountApplied = payment.amountApplied.minus(reopened);
  payment.amountDisputed = payment.amountDisputed.plus(amount);
  payment.updatedAt = now;
  const { status: before } = invoice;
  invoice.reopen(reopened, now);
  const transfer = { organizationId, accountId, currency, source, invoiceId: invoice.id, at: now };
  await post(tx, { ...transfer, kind: 'dispute', debit: 'receivable', credit: `cash:${payment.processor}`, amount: reopened });
  // nobody will pay a written-off invoice, so what is owed again is written off too
  if (!invoice.amountWrittenOff.isZero()) {
    invoice.amountWrittenOff = invoice.amountWrittenOff.plus(reopened);
    await post(tx, { ...transfer, kind: WRITTEN_OFF, debit: 'writeoff', credit: 'receivable', amount: reopened });
  }
  await postWithdrawal(tx, { payment, source, kind: 'dispute', amount: amount.minus(reopened) }, now);
  await record(tx, paymentDisputed({ payment, method: await methodOf(tx, payment) }, dispute));
  if (invoice.status !== before) await tellReopened(tx, invoice, before, now);
  await applyCredit(tx, invoice, now);
}

/** Records the event about an invoice that a dispute has reopened. The invoice becomes overdue immediately if its due date has passed. */
async function tellReopened(tx: EntityManager, invoice: Invoice, before: InvoiceStatus, now: Date): Promise<void> {
  const issued = await issuedOf(tx, invoice);
  await record(tx, invoiceUpdated(issued, { status: { from: before, to: invoice.status } }));
  if (dayStart(invoice.dueDate, 1) > now) return;
  invoice.moveTo(InvoiceStatus.OVERDUE, now);
  await record(tx, invoiceOverdue(issued));
}

interface Decision {
  state: 'won' | 'lost';
  /** True if the processor had taken the disputed money before. */
  hasTaken: boolean;
}

async function close(tx: EntityManager, disputed: Disputed, { state, hasTaken }: Decision, now: Date): Promise<void> {
  const { payment, dispute } = disputed;
  if (hasTaken && dispute.status === DisputeStatus.OPEN) payment.amountDisputed = payment.amountDisputed.minus(dispute.amount);
  payment.updatedAt = now;
  Object.assign(dispute, { status: state === 'won' ? DisputeStatus.WON : DisputeStatus.LOST, closedAt: now, updatedAt: now });
  if (state === 'won' && hasTaken) await takeReturned(tx, disputed, now);
  await record(tx, paymentDisputeClosed({ payment, method: await methodOf(tx, payment) }, dispute));
}

/**
 * Records that the processor has returned the money. The money pays the due amount of the invoice, and the remaining money becomes credit
 * of the account, as for late payments.
 */
async function takeReturned(tx: EntityManager, { invoice, payment, dispute }: Disputed, now: Date): Promise<void> {
  const { organizationId, accountId, currency, id: source, amountReopened } = dispute;
  const writtenOff = (await transferOf(tx, organizationId, source, WRITTEN_OFF)) ?? new Decimal(0);
  invoice.amountWrittenOff = invoice.amountWrittenOff.minus(writtenOff);
  const applied = writtenOff.plus(Decimal.min(amountReopened.minus(writtenOff), invoice.amountOpen));
  payment.amountApplied = payment.amountApplied.plus(applied);
  invoice.amountPaid = invoice.amountPaid.plus(applied);
  const transfer = {
    organizationId,
    accountId,
    currency,
    source,
    invoiceId: invoice.id,
    debit: `cash:${payment.processor}` as const,
    at: now,
  };
  const lost = (await transferOf(tx, organizationId, source, 'dispute_loss')) ?? new Decimal(0);
  await post(tx, { ...transfer, kind: 'dispute_won_restored', debit: 'receivable', credit: 'writeoff', amount: writtenOff });
  await post(tx, { ...transfer, kind: 'dispute_won', credit: 'receivable', amount: applied });
  await post(tx, { ...transfer, kind: 'dispute_won_loss', credit: 'losses', amount: lost });
  await post(tx, { ...transfer, kind: 'dispute_won_credit', credit: 'credit', amount: dispute.amount.minus(applied).minus(lost) });
  invoice.updatedAt = now;
  await closeIfCovered(tx, invoice, payment.id, now);
  await applyCredit(tx, invoice, now);
}
