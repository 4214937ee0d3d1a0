import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { BillingAccount } from '../accounts/billing-account.entity.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { Payment } from '../payments/payment.entity.ts';
import { PaymentOrigin, PaymentStatus } from '../payments/payment.states.ts';
import type { PaymentAttempts } from '../payments/payment-attempts.ts';
import { PaymentMethod } from '../payments/payment-method.entity.ts';
import { PaymentMethodStatus } from '../payments/payment-method.states.ts';
import { startPayment } from '../payments/payment-start.ts';
import type { PaymentProcessor } from '../processors/payment-processor.ts';
import { nextCharge } from './charge-schedule.ts';
import { Collection } from './collection.entity.ts';
import type { CollectionTerms } from './collection-terms.ts';

const QUEUE = 'billing.charge';
const CONCURRENCY = 4;
const DUE = {
  name: 'billing.auto-pay',
  table: 'billing.collection',
  column: 'charge_due_at',
  postponeMs: HOUR_MS,
  // the id of the row is the id of its invoice
  owner: { table: 'billing.invoice', column: 'id' },
} as const;

interface ChargeJob {
  organizationId: string;
  paymentId: string;
}

/** Defines the queue of the jobs that charge automatic payments. Call it before the job queues start. */
export const defineCharges = ({ jobs, isClosed }: Pick<Ports, 'jobs' | 'isClosed'>, attempts: PaymentAttempts): void =>
  // a repeated job charges with the same key, and does nothing if the outcome is known
  jobs.define<ChargeJob>(QUEUE, async ({ organizationId, paymentId }) => void (await attempts.charge(organizationId, paymentId)), {
    concurrency: CONCURRENCY,
    waits: isClosed,
  });

/**
 * Starts the automatic payments that are due. The amount is reserved on the invoice in the same transaction, so an automatic
 * payment and a payment by request cannot charge the same money. A job then charges it, because a sweep may not wait.
 */
export const automaticPaymentSweeper = (
  ports: Ports,
  { processor, terms }: { processor: PaymentProcessor; terms: CollectionTerms },
): Sweeper =>
  dueSweeper({ ...ports, waits: ports.isClosed }, DUE, async (tx, id, now) => {
    const collection = await tx.findOneOrFail(Collection, { id });
    const invoice = await tx.findOneOrFail(Invoice, { id });
    collection.chargeDueAt = null;
    const method = await chargeableMethod(tx, invoice);
    if (!method || invoice.amountDue.isZero()) return;
    if (!invoice.amountReserved.isZero()) {
      // the outcome of another payment is not known yet
      collection.chargeDueAt = new Date(now.getTime() + HOUR_MS);
      return;
    }
    if (collection.attempts > terms.retryDays.length || (await isRefusedForGood(tx, id, method))) return;
    collection.attempts += 1;
    collection.firstAttemptAt ??= now;
    collection.chargeDueAt = nextCharge(collection, terms.retryDays);
    const { organizationId } = invoice;
    const payment = await startPayment(tx, invoice, {
      ...{ amount: invoice.amountDue, method, processor, origin: PaymentOrigin.AUTO, attempt: collection.attempts, now },
      lookUpAt: new Date(now.getTime() + HOUR_MS),
    });
    await ports.jobs.enqueue(tx, QUEUE, { organizationId, paymentId: payment.id } satisfies ChargeJob);
  });

/** Returns the payment method that pays the invoices of the account automatically. Null if there is none. */
async function chargeableMethod(tx: EntityManager, { accountId }: Invoice): Promise<PaymentMethod | null> {
  const account = await tx.findOne(BillingAccount, { accountId });
  if (!account?.autoPay || !account.paymentMethodId) return null;
  return tx.findOne(PaymentMethod, { id: account.paymentMethodId, status: PaymentMethodStatus.ACTIVE });
}

/** Returns true if the newest automatic payment of the invoice was declined, and the same method can never pay it. */
async function isRefusedForGood(tx: EntityManager, invoiceId: string, method: PaymentMethod): Promise<boolean> {
  const newest = await tx.findOne(Payment, { invoiceId, origin: PaymentOrigin.AUTO }, { orderBy: { createdAt: 'desc', id: 'desc' } });
  return newest?.status === PaymentStatus.FAILED && newest.declineIsFinal === true && newest.paymentMethodId === method.id;
}
