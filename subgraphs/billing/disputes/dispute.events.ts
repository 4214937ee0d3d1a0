import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import { type Paid, paymentPayload, paymentTold } from '../payments/payment.events.ts';
import { PaymentStatus } from '../payments/payment.states.ts';
import type { Dispute } from './dispute.entity.ts';
import { DisputeStatus } from './dispute.states.ts';

const disputePayload = z.strictObject({
  dispute_id: z.string(),
  payment_id: z.string(),
  status: z.enum(DisputeStatus),
  amount: z.number(),
  amount_reopened: z.number().describe('Part of `amount` that the customer owed again when the dispute was opened.'),
  currency: z.string(),
  reason: z.string().describe('Reason of the bank, as the payment processor states it.'),
  closed_at: timestamp.nullable(),
  created_at: timestamp,
  updated_at: timestamp,
});

const data = z.strictObject({ payment: paymentPayload, dispute: disputePayload });
const example: z.input<typeof data> = {
  payment: {
    payment_id: 'pay_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    invoice_id: 'inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    status: PaymentStatus.SUCCESSFUL,
    amount: 299.9,
    currency: 'USD',
    payment_method: { type: 'card' },
    processed_at: '2026-02-14T08:00:00.000Z',
    transaction_id: 'txn_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
  },
  dispute: {
    dispute_id: 'dp_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    payment_id: 'pay_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    status: DisputeStatus.OPEN,
    amount: 299.9,
    amount_reopened: 299.9,
    currency: 'USD',
    reason: 'fraudulent',
    closed_at: null,
    created_at: '2026-03-01T08:00:00.000Z',
    updated_at: '2026-03-01T08:00:00.000Z',
  },
};

const family = 'billing';

export const paymentDisputed = defineEvent(
  {
    name: 'payment.disputed',
    family,
    description: "The customer's bank takes a payment back. The amount that the payment had paid is due again.",
    data,
    example,
  },
  told,
);

export const paymentDisputeClosed = defineEvent(
  {
    name: 'payment.dispute_closed',
    family,
    description:
      'The bank has decided about a dispute. If the status is `won`, the money was returned, and pays the due amount of the invoice.',
    data,
    example: {
      ...example,
      dispute: {
        ...example.dispute,
        status: DisputeStatus.WON,
        closed_at: '2026-03-20T08:00:00.000Z',
        updated_at: '2026-03-20T08:00:00.000Z',
      },
    },
  },
  told,
);

export const disputeEvents = [paymentDisputed.type, paymentDisputeClosed.type];

function told(paid: Paid, dispute: Dispute) {
  const { data: known, ...envelope } = paymentTold(paid);
  const payload: z.input<typeof disputePayload> = {
    dispute_id: dispute.id,
    payment_id: dispute.paymentId,
    status: dispute.status,
    amount: dispute.amount.toNumber(),
    amount_reopened: dispute.amountReopened.toNumber(),
    currency: dispute.currency,
    reason: dispute.reason,
    closed_at: dispute.closedAt?.toISOString() ?? null,
    created_at: dispute.createdAt.toISOString(),
    updated_at: dispute.updatedAt.toISOString(),
  };
  return { ...envelope, occurredAt: dispute.updatedAt, data: { ...known, dispute: payload } };
}
