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

export const CHARGES = 'billing.charge';
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
  jobs.define<ChargeJob>(CHARGES, async ({ organizationId, paymentId }) => void (await attempts.charge(organizationId, paymentId)), {
    concurrency: CONCURRENCY,
    waits: isClosed,
  });

/**
 * Starts the automatic payments that are due. The transaction that starts a payment reserves its amount on the invoice. So an automatic
 * payment and a requested payment cannot charge the same amount. A job then charges the amount, because a sweeper must not wait for the
 * payment processor.
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
    await ports.jobs.enqueue(tx, CHARGES, { organizationId, paymentId: payment.id } satisfies ChargeJob);
  });

/**
 * Returns the payment method that pays an invoice automatically. It is the method of the subscription or, if the subscription has none, the
 * method of an account with automatic payment. Null if there is no such method.
 */
async function chargeableMethod(tx: EntityManager, { accountId, subscriptionId }: Invoice): Promise<PaymentMethod | null> {
  const [own] = await tx.execute<{ id: string | null }[]>(
    'select "payment_method_id" as "id" from "billing"."subscription" where "id" = ?',
    [subscriptionId],
  );
  const active = (id: string): Promise<PaymentMethod | null> => tx.findOne(PaymentMethod, { id, status: PaymentMethodStatus.ACTIVE });
  const method = own?.id ? await active(own.id) : null;
  if (method) return method;
  const account = await tx.findOne(BillingAccount, { accountId });
  return account?.autoPay && account.paymentMethodId ? active(account.paymentMethodId) : null;
}

/**
 * Returns true if the newest automatic payment of the invoice was declined for a permanent reason, and the payment method has not changed
 * since.
 */
async function isRefusedForGood(tx: EntityManager, invoiceId: string, method: PaymentMethod): Promise<boolean> {
  const newest = await tx.findOne(Payment, { invoiceId, origin: PaymentOrigin.AUTO }, { orderBy: { createdAt: 'desc', id: 'desc' } });
  return newest?.status === PaymentStatus.FAILED && newest.declineIsFinal === true && newest.paymentMethodId === method.id;
}
