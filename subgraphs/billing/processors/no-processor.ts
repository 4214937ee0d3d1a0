import { declined, ForgedNotice, MethodDeclined, OutcomeUnknown, type PaymentOutcome, type PaymentProcessor } from './payment-processor.ts';

/**
 * Declines everything, because the operator has not configured a payment processor. Otherwise a platform in production would
 * mark invoices as paid with simulated money.
 */
export class NoProcessor implements PaymentProcessor {
  readonly name = 'none';
  readonly simulated = false;

  async charge(): Promise<PaymentOutcome> {
    return declined('no_processor', false);
  }

  /** It declines at once and leaves nothing to look up, so the order was sent to another processor. */
  async findCharge(): Promise<never> {
    throw new OutcomeUnknown('No payment processor is configured. Set STRIPE_SECRET_KEY again to look up payments.');
  }

  async refund(): Promise<PaymentOutcome> {
    return declined('no_processor', false);
  }

  async findRefund(): Promise<never> {
    throw new OutcomeUnknown('No payment processor is configured. Set STRIPE_SECRET_KEY again to look up refunds.');
  }

  async attach(): Promise<never> {
    throw new MethodDeclined({ code: 'no_processor', isFinal: false });
  }

  /** It has no payment methods. */
  async detach(): Promise<void> {}

  read(): never {
    throw new ForgedNotice('No payment processor is configured.');
  }
}
