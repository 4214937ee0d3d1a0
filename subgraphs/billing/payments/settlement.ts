import type { EntityManager } from '../../../kernel/database/database.ts';
import type { PlatformError } from '../../../kernel/errors/errors.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { refundedTax } from '../calculation/taxes.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { closeIfCovered } from '../invoices/invoice-closing.ts';
import { applyCredit } from '../invoices/invoice-credit.ts';
import { isPosted, post, reverse } from '../ledger/ledger.ts';
import type { PaymentOutcome } from '../processors/payment-processor.ts';
import { Payment } from './payment.entity.ts';
import { InsufficientFunds, PaymentDeclined } from './payment.errors.ts';
import { type Paid, paymentFailed, paymentRefunded, paymentRefundFailed, paymentSuccessful } from './payment.events.ts';
import { PaymentStatus } from './payment.states.ts';
import { PaymentMethod } from './payment-method.entity.ts';
import { Refund } from './refund.entity.ts';
import { postWithdrawal } from './withdrawal.ts';

type Declined = Extract<PaymentOutcome, { state: 'declined' }>;

/**
 * Records the outcome of a payment, once: repeated, early and late reports of the same outcome change nothing. Only this function completes
 * payments. `known` contains the payment and its method as the caller read them before. It locks the invoice before the payment, like all
 * transactions that change both.
 */
export async function settlePayment(tx: EntityManager, id: string, outcome: PaymentOutcome, now: Date, known?: Paid): Promise<Payment> {
  const { invoiceId, paymentMethodId } = known?.payment ?? (await tx.findOneOrFail(Payment, { id }));
  const invoice = await tx.findOneOrFail(Invoice, { id: invoiceId }, LOCKED);
  const payment = await tx.findOneOrFail(Payment, { id }, { ...LOCKED, refresh: true });
  if (payment.status === PaymentStatus.SUCCESSFUL) return payment;
  payment.reference = outcome.reference ?? payment.reference;
  const isPending = payment.status === PaymentStatus.PENDING;
  if (outcome.state !== 'pending' && (outcome.state === 'succeeded' || isPending)) {
    const method = known?.method ?? (await tx.findOneOrFail(PaymentMethod, { id: paymentMethodId }));
    if (outcome.state === 'succeeded') await succeed(tx, { payment, method }, invoice, now);
    else await fail(tx, { payment, method }, invoice, outcome, now);
  } else if (isPending && outcome.state === 'pending') payment.settleDueAt = outcome.lookAgainAt;
  return payment;
}

/**
 * Records that the money of a payment has been moved. If the payment was recorded as failed before, other payments may have paid the
 * invoice in the meantime. The part that is not due any more becomes credit of the account.
 */
async function succeed(tx: EntityManager, { payment, method }: Paid, invoice: Invoice, now: Date): Promise<void> {
  const { amount, organizationId, accountId, currency, id: source, processor } = payment;
  if (payment.status === PaymentStatus.PENDING) invoice.amountReserved = invoice.amountReserved.minus(amount);
  const applied = Decimal.min(amount, invoice.amountOpen);
  invoice.amountPaid = invoice.amountPaid.plus(applied);
  Object.assign(payment, { status: PaymentStatus.SUCCESSFUL, amountApplied: applied, transactionId: newId('transaction') });
  Object.assign(payment, {
    processedAt: now,
    updatedAt: now,
    settleDueAt: null,
    declineCode: null,
    declineIsFinal: null,
    availableAmount: null,
  });
  invoice.updatedAt = now;
  await record(tx, paymentSuccessful({ payment, method }));
  await closeIfCovered(tx, invoice, payment.id, now);
  // after all changes of the invoice, so that one statement stores them
  const transfer = { organizationId, accountId, currency, source, invoiceId: invoice.id, debit: `cash:${processor}` as const, at: now };
  await post(tx, { ...transfer, kind: 'payment', credit: 'receivable', amount: applied });
  await post(tx, { ...transfer, kind: 'late_payment', credit: 'credit', amount: amount.minus(applied) });
  if (amount.greaterThan(applied)) await applyCredit(tx, invoice, now);
}

/** Records that a payment has failed. The amount that it reserved on the invoice is open again, so credit of the account can pay it. */
async function fail(tx: EntityManager, { payment, method }: Paid, invoice: Invoice, outcome: Declined, now: Date): Promise<void> {
  invoice.amountReserved = invoice.amountReserved.minus(payment.amount);
  Object.assign(payment, { status: PaymentStatus.FAILED, processedAt: now, updatedAt: now, settleDueAt: null });
  Object.assign(payment, { declineCode: outcome.code, declineIsFinal: outcome.isFinal, availableAmount: outcome.available });
  await record(tx, paymentFailed({ payment, method }, failureOf(payment)));
  await applyCredit(tx, invoice, now);
}

/** Returns the error of a failed payment, for the API response and for the event. */
export const failureOf = (payment: Payment): PlatformError =>
  payment.declineCode === 'insufficient_funds'
    ? new InsufficientFunds(payment)
    : new PaymentDeclined(
        { code: (payment.declineCode ?? 'declined') as Declined['code'], isFinal: payment.declineIsFinal ?? false },
        {
          payment_id: payment.id,
        },
      );

/** Records the outcome of a refund, once, as `settlePayment` does for payments. */
export async function settleRefund(tx: EntityManager, refundId: string, outcome: PaymentOutcome, now: Date): Promise<Refund> {
  const { paymentId } = await tx.findOneOrFail(Refund, { id: refundId });
  const { invoiceId } = await tx.findOneOrFail(Payment, { id: paymentId });
  const invoice = await tx.findOneOrFail(Invoice, { id: invoiceId }, LOCKED);
  const payment = await tx.findOneOrFail(Payment, { id: paymentId }, { ...LOCKED, refresh: true });
  const refund = await tx.findOneOrFail(Refund, { id: refundId }, { ...LOCKED, refresh: true });
  if (refund.status === PaymentStatus.SUCCESSFUL && outcome.state === 'declined') {
    refund.declineCode = outcome.code;
    await takeBack(tx, { invoice, payment, refund }, now);
  }
  // it was settled as failed before the processor made it. After `takeBack`, an old report of the success changes nothing
  if (refund.status === PaymentStatus.FAILED && outcome.state === 'succeeded' && !(await isPosted(tx, refund.organizationId, refund.id))) {
    Object.assign(refund, { reference: outcome.reference, declineCode: null, processedAt: now, updatedAt: now });
    await giveBack(tx, { invoice, payment, refund }, now);
  }
  if (refund.status === PaymentStatus.SUCCESSFUL || refund.status === PaymentStatus.FAILED) return refund;
  refund.reference = outcome.reference ?? refund.reference;
  if (outcome.state === 'pending') {
    refund.settleDueAt = outcome.lookAgainAt;
    return refund;
  }
  payment.refundReserved = payment.refundReserved.minus(refund.amount);
  invoice.refundReserved = invoice.refundReserved.minus(refund.amount);
  Object.assign(refund, { processedAt: now, updatedAt: now, settleDueAt: null });
  if (outcome.state === 'declined') {
    Object.assign(refund, { status: PaymentStatus.FAILED, declineCode: outcome.code });
    await record(tx, paymentRefundFailed({ payment, method: await methodOf(tx, payment) }, refund, false));
    return refund;
  }
  await giveBack(tx, { invoice, payment, refund }, now);
  return refund;
}

export interface Refunded {
  invoice: Invoice;
  payment: Payment;
  refund: Refund;
}

/**
 * Records that the money of a refund has been moved. A refund never reopens its invoice. It reduces the revenue and the tax, in proportion
 * to the parts that were not given back yet. So all credit notes and refunds of an invoice together give back exactly its tax. Only a
 * refund that was made at the processor can be larger than the part of the payment that still pays its invoice.
 */
export async function giveBack(tx: EntityManager, { invoice, payment, refund }: Refunded, now: Date): Promise<void> {
  const { organizationId, accountId, currency, id: source } = refund;
  const amount = Decimal.min(refund.amount, payment.amountRefundable, invoice.amountReturnable);
  const left = { amount: invoice.amount.minus(invoice.amountReversed), tax: invoice.taxAmount.minus(invoice.taxReversed) };
  const tax = amount.isZero() ? amount : refundedTax({ ...left, refundedBefore: new Decimal(0), refund: amount }, currency);
  invoice.taxReversed = invoice.taxReversed.plus(tax);
  Object.assign(refund, { status: PaymentStatus.SUCCESSFUL, taxAmount: tax });
  payment.amountRefunded = payment.amountRefunded.plus(amount);
  payment.updatedAt = now;
  invoice.amountRefunded = invoice.amountRefunded.plus(amount);
  invoice.updatedAt = now;
  const transfer = {
    organizationId,
    accountId,
    currency,
    source,
    invoiceId: invoice.id,
    credit: `cash:${payment.processor}` as const,
    at: now,
  };
  await post(tx, { ...transfer, kind: 'refund', debit: 'revenue', amount: amount.minus(tax) });
  await post(tx, { ...transfer, kind: 'refund_tax', debit: 'tax', amount: tax });
  await postWithdrawal(tx, { payment, source, kind: 'refund', amount: refund.amount.minus(amount) }, now);
  await record(tx, paymentRefunded({ payment, method: await methodOf(tx, payment) }, refund));
}

/**
 * Reverses a refund that succeeded at first and failed later, for example because the card was closed. The money was returned to the
 * processor.
 */
async function takeBack(tx: EntityManager, { invoice, payment, refund }: Refunded, now: Date): Promise<void> {
  const posted = await reverse(tx, refund.organizationId, refund.id, now);
  const tax = posted.get('refund_tax') ?? new Decimal(0);
  const amount = tax.plus(posted.get('refund') ?? 0);
  invoice.taxReversed = invoice.taxReversed.minus(tax);
  payment.amountRefunded = payment.amountRefunded.minus(amount);
  invoice.amountRefunded = invoice.amountRefunded.minus(amount);
  for (const one of [invoice, payment, refund]) one.updatedAt = now;
  Object.assign(refund, { status: PaymentStatus.FAILED, taxAmount: new Decimal(0), processedAt: now });
  await record(tx, paymentRefundFailed({ payment, method: await methodOf(tx, payment) }, refund, true));
}

/**
 * Records the success of a payment if its charge succeeded and this is not recorded yet. Call it before you record a refund or dispute of
 * the payment. `reference` is the processor's reference of the charge.
 */
export async function requireSettled(tx: EntityManager, paymentId: string, reference: string, now: Date): Promise<void> {
  const { status } = await tx.findOneOrFail(Payment, { id: paymentId });
  if (status === PaymentStatus.SUCCESSFUL) return;
  await settlePayment(tx, paymentId, { state: 'succeeded', reference }, now);
  await tx.flush();
}

/** Returns the payment method of a payment. */
export const methodOf = (tx: EntityManager, { paymentMethodId }: Payment): Promise<PaymentMethod> =>
  tx.findOneOrFail(PaymentMethod, { id: paymentMethodId });
