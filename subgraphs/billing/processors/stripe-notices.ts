import type Stripe from 'stripe';
import type { DisputeState, ProcessorNotice } from './payment-processor.ts';
import { fromStripeAmount } from './stripe-amounts.ts';
import { intentOutcome, refundOutcome } from './stripe-outcomes.ts';

/**
 * State of a dispute by Stripe's status. Disputes with a status that is not listed are open. A closed warning or a prevented dispute costs
 * nothing.
 */
/** Returns whether a dispute is only an inquiry of the bank, for which no money is taken. */
const isInquiry = (status: string): boolean => /^warning_(needs_response|under_review)$/.test(status);

const DISPUTE_STATES: Readonly<Record<string, DisputeState>> = { lost: 'lost', won: 'won', warning_closed: 'won', prevented: 'won' };

/** Returns the notice from a verified Stripe event. Null if the event is not about a payment of the platform. */
export function noticeOf(event: Stripe.Event, now: Date): ProcessorNotice | null {
  switch (event.type) {
    case 'payment_intent.succeeded':
    case 'payment_intent.processing':
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled':
      return paymentNotice(event.data.object, now);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return refundNotice(event.data.object, now);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return disputeNotice(event.data.object);
    default:
      return null;
  }
}

function paymentNotice(intent: Stripe.PaymentIntent, now: Date): ProcessorNotice | null {
  const { payment_id: id, organization_id: organizationId } = intent.metadata;
  const outcome = intentOutcome(intent, now);
  // other programs may use the same Stripe account
  return id && organizationId && outcome ? { kind: 'payment', id, organizationId, outcome } : null;
}

function refundNotice(refund: Stripe.Refund, now: Date): ProcessorNotice | null {
  const { refund_id: id = null, organization_id: organizationId = null } = refund.metadata ?? {};
  const charge = idOf(refund.payment_intent);
  const outcome = refundOutcome(refund, now);
  return charge && outcome ? { kind: 'refund', id, organizationId, charge, ...moneyOf(refund), outcome } : null;
}

function disputeNotice(dispute: Stripe.Dispute): ProcessorNotice | null {
  const charge = idOf(dispute.payment_intent);
  const { id: reference, reason, status } = dispute;
  if (!charge || isInquiry(status)) return null;
  return { kind: 'dispute', reference, charge, ...moneyOf(dispute), reason, state: DISPUTE_STATES[status] ?? 'open' };
}

const idOf = (related: string | { id: string } | null): string | undefined => (typeof related === 'string' ? related : related?.id);

const moneyOf = ({ amount, currency }: { amount: number; currency: string }) => ({
  amount: fromStripeAmount(amount, currency),
  currency: currency.toUpperCase(),
});
