import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import type { Decline } from '../processors/payment-processor.ts';
import type { Payment } from './payment.entity.ts';
import type { Refund } from './refund.entity.ts';

/** 402: the payment method lacks funds. `available_amount` is null if the payment processor does not state it. */
export class InsufficientFunds extends PlatformError {
  constructor({ id, paymentMethodId, amount, availableAmount }: Payment) {
    super('INSUFFICIENT_FUNDS', 'The payment method lacks funds.', {
      payment_method_id: paymentMethodId,
      required_amount: amount.toNumber(),
      available_amount: availableAmount?.toNumber() ?? null,
      payment_id: id,
    });
  }
}

/** 402: the payment was declined. If `details.is_final` is true, use another payment method. */
export class PaymentDeclined extends PlatformError {
  constructor({ code, isFinal }: Decline, details: Record<string, string> = {}) {
    const advice = isFinal ? 'Use another payment method.' : 'Try again later, or use another payment method.';
    super('PAYMENT_DECLINED', `The payment was declined: ${code}. ${advice}`, { decline_code: code, is_final: isFinal, ...details });
  }
}

/** 402: the payment processor refused a refund. */
export class RefundDeclined extends PlatformError {
  constructor({ id, paymentId, declineCode }: Refund) {
    super('PAYMENT_DECLINED', `The refund was declined: ${declineCode}.`, {
      decline_code: declineCode,
      refund_id: id,
      payment_id: paymentId,
    });
  }
}

/** 409: another payment has paid this amount, or may still pay it. `details.payment_id` is its id. */
export class DuplicatePayment extends PlatformError {
  constructor(invoiceId: string, payment: Pick<Payment, 'id' | 'status'> | null) {
    const reason = !payment
      ? 'nothing of it is due'
      : payment.status === 'pending'
        ? `the outcome of the payment ${payment.id} is not known yet`
        : `it was paid by ${payment.id}`;
    super('DUPLICATE_PAYMENT', `The invoice ${invoiceId} cannot be paid again: ${reason}.`, {
      invoice_id: invoiceId,
      payment_id: payment?.id ?? null,
    });
  }
}

/** 409: the payment has not succeeded, so it cannot be refunded. */
export class PaymentNotRefundable extends PlatformError {
  constructor({ id, status }: Payment) {
    super('INVALID_STATE', `The payment ${id} is ${status}. Only a successful payment can be refunded.`, {
      resource: 'payment',
      id,
      from: status,
    });
  }
}

/** 409: the payment is disputed, so it must not be refunded too. The customer's bank is taking the money back. */
export class PaymentDisputed extends PlatformError {
  constructor({ id }: Payment) {
    super('INVALID_STATE', `The payment ${id} is disputed. It cannot be refunded until the bank has decided.`, {
      resource: 'payment',
      id,
      reason: 'disputed',
    });
  }
}

/** 409: the processor that made the payment is not configured any more. Only this processor can refund the payment. */
export class ProcessorNotConfigured extends PlatformError {
  constructor({ id, processor }: Payment) {
    super('INVALID_STATE', `The payment ${id} cannot be refunded, because its payment processor (${processor}) is not configured.`, {
      resource: 'payment',
      id,
      reason: 'processor_not_configured',
    });
  }
}

export const tooMuch = (field: string, value: Decimal, most: Decimal) => ({
  field,
  value: value.toNumber(),
  reason: `must be at most ${most.toFixed()}`,
});
