import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import type { PaymentProcessor } from '../processors/payment-processor.ts';
import { Payment } from './payment.entity.ts';
import { paymentReceived } from './payment.events.ts';
import type { PaymentOrigin } from './payment.states.ts';
import type { PaymentMethod } from './payment-method.entity.ts';

export interface NewPayment {
  amount: Decimal;
  method: PaymentMethod;
  processor: PaymentProcessor;
  origin: PaymentOrigin;
  /** Number of the automatic payment attempt. Null for a payment by request. */
  attempt: number | null;
  /** Time at which the platform asks the processor for the outcome, if it is still unknown. */
  lookUpAt: Date;
  now: Date;
}

/**
 * Creates a pending payment of a locked invoice, reserves its amount, and records the event. The caller must have
 * checked that the amount is open, and must charge the payment after the transaction.
 */
export async function startPayment(
  tx: EntityManager,
  invoice: Invoice,
  { amount, method, processor, origin, attempt, lookUpAt, now }: NewPayment,
): Promise<Payment> {
  const { id: invoiceId, organizationId, accountId, currency } = invoice;
  invoice.amountReserved = invoice.amountReserved.plus(amount);
  const payment = Object.assign(new Payment(), { id: newId('payment'), organizationId, accountId, invoiceId, currency });
  Object.assign(payment, { paymentMethodId: method.id, amount, origin, attempt, createdAt: now, updatedAt: now });
  Object.assign(payment, { processor: processor.name, simulated: processor.simulated, settleDueAt: lookUpAt });
  tx.persist(payment);
  await record(tx, paymentReceived({ payment, method }));
  return payment;
}
