import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';

const paymentPayload = z.strictObject({
  payment_id: z.string(),
  invoice_id: z.string(),
  account_id: z.string(),
  status: z.enum(['pending', 'successful', 'failed']),
  amount: z.number(),
  currency: z.string(),
  payment_method: z.strictObject({ type: z.string().describe('Kind of payment method, such as `credit_card`.') }),
  processed_at: timestamp.nullable(),
  transaction_id: z.string().nullable(),
});

const example: z.input<typeof paymentPayload> = {
  payment_id: 'pay_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  invoice_id: 'inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  status: 'pending',
  amount: 299.9,
  currency: 'USD',
  payment_method: { type: 'credit_card' },
  processed_at: null,
  transaction_id: null,
};
const processed = { ...example, processed_at: '2026-02-14T08:00:00.000Z', transaction_id: 'txn_01JQ8Z6V4T9M3N2B1C0D9E8F7G' };

const family = 'billing';
const data = z.strictObject({ payment: paymentPayload });

export const paymentReceived = defineEvent({
  name: 'payment.received',
  family,
  description: 'A payment was accepted and is being processed. The event `payment.successful` or `payment.failed` reports the result.',
  data,
  example: { payment: example },
});

export const paymentSuccessful = defineEvent({
  name: 'payment.successful',
  family,
  description: 'A payment was completed.',
  data,
  example: { payment: { ...processed, status: 'successful' } },
});

export const paymentFailed = defineEvent({
  name: 'payment.failed',
  family,
  description: 'A payment failed. `failure` contains the reason: the same code and message as the error response.',
  data: z.strictObject({ payment: paymentPayload, failure: z.strictObject({ code: z.string(), message: z.string() }) }),
  example: {
    payment: { ...processed, status: 'failed' },
    failure: { code: 'INSUFFICIENT_FUNDS', message: 'The payment method lacks funds.' },
  },
});

export const paymentEvents = [paymentReceived, paymentSuccessful, paymentFailed];
