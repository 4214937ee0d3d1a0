import { z } from 'zod';
import type { PlatformError } from '../../../kernel/errors/errors.ts';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { Payment } from './payment.entity.ts';
import { PaymentStatus } from './payment.states.ts';
import type { PaymentMethod } from './payment-method.entity.ts';
import type { Refund } from './refund.entity.ts';

export const paymentPayload = z.strictObject({
  payment_id: z.string(),
  invoice_id: z.string(),
  account_id: z.string(),
  status: z.enum(PaymentStatus),
  amount: z.number(),
  currency: z.string(),
  payment_method: z.strictObject({ type: z.string().describe('Kind of payment method, such as `card`.') }),
  processed_at: timestamp.nullable(),
  transaction_id: z.string().nullable(),
});

const example: z.input<typeof paymentPayload> = {
  payment_id: 'pay_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  invoice_id: 'inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  status: PaymentStatus.PENDING,
  amount: 299.9,
  currency: 'USD',
  payment_method: { type: 'card' },
  processed_at: null,
  transaction_id: null,
};
const processed = { ...example, processed_at: '2026-02-14T08:00:00.000Z', transaction_id: 'txn_01JQ8Z6V4T9M3N2B1C0D9E8F7G' };

const family = 'billing';
const data = z.strictObject({ payment: paymentPayload });

export const paymentReceived = defineEvent(
  {
    name: 'payment.received',
    family,
    description: 'A payment was accepted and is being processed. The event `payment.successful` or `payment.failed` reports the result.',
    data,
    example: { payment: example },
  },
  paymentTold,
);

export const paymentSuccessful = defineEvent(
  {
    name: 'payment.successful',
    family,
    description: 'A payment was completed.',
    data,
    example: { payment: { ...processed, status: PaymentStatus.SUCCESSFUL } },
  },
  paymentTold,
);

export const paymentFailed = defineEvent(
  {
    name: 'payment.failed',
    family,
    description: 'A payment failed. `failure` contains the reason: the same code and message as the error response.',
    data: z.strictObject({ payment: paymentPayload, failure: z.strictObject({ code: z.string(), message: z.string() }) }),
    example: {
      payment: { ...processed, status: PaymentStatus.FAILED, transaction_id: null },
      failure: { code: 'INSUFFICIENT_FUNDS', message: 'The payment method lacks funds.' },
    },
  },
  (paid: Paid, { code, message }: PlatformError) => {
    const { data: known, ...envelope } = paymentTold(paid);
    return { ...envelope, data: { ...known, failure: { code, message } } };
  },
);

export const paymentRefunded = defineEvent(
  {
    name: 'payment.refunded',
    family,
    description: 'A payment, or a part of it, was refunded.',
    data: z.strictObject({
      payment: paymentPayload,
      refund: z.strictObject({ refund_id: z.string(), amount: z.number(), tax_amount: z.number(), reason: z.string().nullable() }),
    }),
    example: {
      payment: { ...processed, status: PaymentStatus.SUCCESSFUL },
      refund: { refund_id: 're_01JQ8Z6V4T9M3N2B1C0D9E8F7G', amount: 99.9, tax_amount: 0, reason: 'Installation was late' },
    },
  },
  (paid: Paid, { id, amount, taxAmount, reason, updatedAt }: Refund) => {
    const { data: known, ...envelope } = paymentTold(paid);
    const refund = { refund_id: id, amount: amount.toNumber(), tax_amount: taxAmount.toNumber(), reason };
    return { ...envelope, occurredAt: updatedAt, data: { ...known, refund } };
  },
);

export const paymentRefundFailed = defineEvent(
  {
    name: 'payment.refund_failed',
    family,
    description:
      'A refund failed. If `was_successful`, `payment.refunded` had reported its success, and the money came back later, for example because the card was closed. The payment can be refunded again.',
    data: z.strictObject({
      payment: paymentPayload,
      refund: z.strictObject({
        refund_id: z.string(),
        amount: z.number(),
        reason: z.string().nullable(),
        decline_code: z.string().nullable().describe('Why the payment processor refused the refund.'),
        was_successful: z.boolean(),
      }),
    }),
    example: {
      payment: { ...processed, status: PaymentStatus.SUCCESSFUL },
      refund: {
        ...{ refund_id: 're_01JQ8Z6V4T9M3N2B1C0D9E8F7G', amount: 99.9, reason: 'Installation was late' },
        ...{ decline_code: 'declined', was_successful: true },
      },
    },
  },
  (paid: Paid, { id, amount, reason, declineCode, updatedAt }: Refund, wasSuccessful: boolean) => {
    const { data: known, ...envelope } = paymentTold(paid);
    const refund = {
      refund_id: id,
      amount: amount.toNumber(),
      reason,
      decline_code: declineCode,
      was_successful: wasSuccessful,
    };
    return { ...envelope, occurredAt: updatedAt, data: { ...known, refund } };
  },
);

export const paymentEvents = [
  ...[paymentReceived.type, paymentSuccessful.type, paymentFailed.type],
  ...[paymentRefunded.type, paymentRefundFailed.type],
];

/** A payment and its payment method. */
export interface Paid {
  payment: Payment;
  method: PaymentMethod;
}

/** Returns the data that every event about a payment contains. */
export function paymentTold({ payment, method }: Paid) {
  const { id, organizationId, accountId, updatedAt } = payment;
  return {
    organizationId,
    occurredAt: updatedAt,
    subject: { type: 'Payment', id },
    accountId,
    data: {
      payment: {
        payment_id: id,
        invoice_id: payment.invoiceId,
        account_id: accountId,
        status: payment.status,
        amount: payment.amount.toNumber(),
        currency: payment.currency,
        payment_method: { type: method.type },
        processed_at: payment.processedAt?.toISOString() ?? null,
        transaction_id: payment.transactionId,
      },
    },
  };
}
