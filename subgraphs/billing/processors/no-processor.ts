import { declined, ForgedNotice, MethodDeclined, OutcomeUnknown, type PaymentOutcome, type PaymentProcessor } from './payment-processor.ts';

/**
 * A payment processor that declines everything, for operators that have not configured a processor. With the test processor, a production
 * platform would mark invoices as paid with simulated money.
 */
export class NoProcessor implements PaymentProcessor {
  readonly name = 'none';
  readonly simulated = false;

  async charge(): Promise<PaymentOutcome> {
    return declined('no_processor', false);
  }

  /** Always throws: charges of this processor never have an unknown outcome, so another processor received the charge. */
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

  /** Does nothing, because this processor has no payment methods. */
  async detach(): Promise<void> {}

  read(): never {
    throw new ForgedNotice('No payment processor is configured.');
  }
}
