import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import {
  type Charge,
  declined,
  IdempotencyMismatch,
  OutcomeUnknown,
  type PaymentOutcome,
  type PaymentProcessor,
  type RefundOrder,
} from '../processors/payment-processor.ts';
import { Payment } from './payment.entity.ts';
import { PaymentStatus } from './payment.states.ts';
import { PaymentMethod } from './payment-method.entity.ts';
import { Refund } from './refund.entity.ts';
import { settlePayment, settleRefund } from './settlement.ts';

export interface PaymentAttemptsDeps {
  orm: Orm;
  clock: Clock;
  log: Logger;
  processor: PaymentProcessor;
}

/**
 * Calls the payment processor for pending payments and refunds, outside of transactions, and records the outcome. If the outcome is
 * unknown, the payment or refund stays pending, and the platform asks for the outcome later.
 */
export class PaymentAttempts {
  constructor(private readonly deps: PaymentAttemptsDeps) {}

  /** Charges the payment method of a payment that was just created. */
  begin(payment: Payment, method: PaymentMethod): Promise<Payment> {
    return this.#ask(payment, method, (charge) => this.deps.processor.charge(charge));
  }

  /** Charges the payment method of a payment, unless the outcome is already known. */
  charge(organizationId: string, paymentId: string): Promise<Payment> {
    return this.#payment(organizationId, paymentId, (charge) => this.deps.processor.charge(charge));
  }

  /** Asks the processor for the outcome of a payment. The payment fails if the processor never received it. */
  lookUpPayment(organizationId: string, paymentId: string): Promise<Payment> {
    return this.#payment(organizationId, paymentId, async (charge) => (await this.deps.processor.findCharge(charge)) ?? NOT_RECEIVED);
  }

  /** Sends a new refund to the payment processor. */
  refund(organizationId: string, refundId: string): Promise<Refund> {
    return this.#refund(organizationId, refundId, (order) => this.deps.processor.refund(order));
  }

  /** Asks the processor for the outcome of a refund. */
  lookUpRefund(organizationId: string, refundId: string): Promise<Refund> {
    return this.#refund(organizationId, refundId, async (order) => (await this.deps.processor.findRefund(order)) ?? NOT_RECEIVED);
  }

  async #payment(organizationId: string, id: string, ask: (charge: Charge) => Promise<PaymentOutcome>): Promise<Payment> {
    const em = this.#em(organizationId);
    const payment = await em.findOneOrFail(Payment, { id });
    if (payment.status !== PaymentStatus.PENDING || !this.#isOwn(payment)) return payment;
    return this.#ask(payment, await em.findOneOrFail(PaymentMethod, { id: payment.paymentMethodId }), ask);
  }

  async #ask(payment: Payment, method: PaymentMethod, ask: (charge: Charge) => Promise<PaymentOutcome>): Promise<Payment> {
    const { id, organizationId, accountId, amount, currency, reference, createdAt } = payment;
    const charge = { id, organizationId, accountId, amount, currency, method: method.reference, reference, createdAt };
    const outcome = await this.#outcome(id, () => ask(charge));
    if (!outcome) return payment;
    return this.#em(organizationId).transactional((tx) => settlePayment(tx, id, outcome, this.deps.clock.now(), { payment, method }));
  }

  async #refund(organizationId: string, id: string, ask: (order: RefundOrder) => Promise<PaymentOutcome>): Promise<Refund> {
    const em = this.#em(organizationId);
    const refund = await em.findOneOrFail(Refund, { id });
    const payment = await em.findOneOrFail(Payment, { id: refund.paymentId });
    if (refund.status !== PaymentStatus.PENDING || !this.#isOwn(payment)) return refund;
    const { amount, currency, reference, createdAt } = refund;
    const charge = payment.reference ?? '';
    const outcome = await this.#outcome(id, () => ask({ id, organizationId, charge, amount, currency, reference, createdAt }));
    if (!outcome) return refund;
    return this.#em(organizationId).transactional((tx) => settleRefund(tx, id, outcome, this.deps.clock.now()));
  }

  /** Returns true if the configured processor made the payment. Only this processor knows the outcome. */
  #isOwn({ id, processor }: Payment): boolean {
    const isOwn = processor === this.deps.processor.name;
    if (!isOwn)
      this.deps.log.error({ payment: id, processor }, 'a payment cannot be looked up, because its payment processor is not configured');
    return isOwn;
  }

  async #outcome(id: string, ask: () => Promise<PaymentOutcome>): Promise<PaymentOutcome | null> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof OutcomeUnknown || error instanceof IdempotencyMismatch)) throw error;
      this.deps.log.warn({ err: error, record: id }, 'the outcome of a payment or refund is unknown and will be looked up');
      return null;
    }
  }

  #em(organizationId: string): EntityManager {
    return organizationEm(this.deps.orm, organizationId);
  }
}

const NOT_RECEIVED = declined('processing_error', false);
