import Stripe from 'stripe';
import { type Decline, declined, IdempotencyMismatch, OutcomeUnknown, type PaymentOutcome } from './payment-processor.ts';
import { declineOf } from './stripe-declines.ts';

/**
 * Delay before the platform asks for the outcome of a pending payment, such as a bank debit. Such payments take days, and Stripe sends a
 * webhook when they end.
 */
const LOOK_AGAIN_MS = 60 * 60_000;

const pending = (reference: string, now: Date): PaymentOutcome => ({
  state: 'pending',
  reference,
  lookAgainAt: new Date(now.getTime() + LOOK_AGAIN_MS),
});

/** Returns the outcome of a PaymentIntent. Undefined if Stripe is still processing it. */
export function intentOutcome({ id, status, last_payment_error: error }: Stripe.PaymentIntent, now: Date): PaymentOutcome | undefined {
  if (status === 'succeeded') return { state: 'succeeded', reference: id };
  if (status === 'processing') return pending(id, now);
  if (status === 'canceled') return declined('cancelled', true, id);
  // the platform gives nobody the client secret, so the action is never completed
  if (status === 'requires_action') return declined('authentication_required', true, id);
  if (status !== 'requires_payment_method' || !error) return undefined;
  const { code, isFinal } = declineOf(error);
  return declined(code, isFinal, id);
}

/** Returns the outcome of a refund. Undefined for a status that this version does not know. */
export function refundOutcome({ id, status, failure_reason: reason }: Stripe.Refund, now: Date): PaymentOutcome | undefined {
  if (status === 'succeeded') return { state: 'succeeded', reference: id };
  if (status === 'pending' || status === 'requires_action') return pending(id, now);
  if (status === 'canceled') return declined('cancelled', true, id);
  if (status !== 'failed') return undefined;
  const { code, isFinal } = declineOf({ code: reason });
  return declined(code, isFinal, id);
}

/**
 * Returns the outcome of a charge or refund that failed with an error. Some errors do not depend on the charge or refund: network errors,
 * 5xx, 429, 401, and concurrent requests with the same key. They mean that the outcome is unknown, because an earlier call with the same id
 * may have moved money. `refused` is the reason of a refusal whose code is not in stripe-declines.ts.
 * @throws IdempotencyMismatch, OutcomeUnknown
 */
export function errorOutcome(error: unknown, id: string, refused: Decline): PaymentOutcome {
  const { StripeCardError, StripeError, StripeIdempotencyError, StripeInvalidRequestError } = Stripe.errors;
  if (error instanceof StripeIdempotencyError) throw new IdempotencyMismatch(id, { cause: error });
  if (error instanceof StripeCardError) {
    const { code, isFinal } = declineOf(error);
    return declined(code, isFinal, error.payment_intent?.id ?? null);
  }
  if (error instanceof StripeInvalidRequestError) {
    const { code, isFinal } = declineOf(error, refused);
    return declined(code, isFinal);
  }
  if (!(error instanceof StripeError)) throw error;
  throw unknownOutcome(error);
}

/** Returns the error for an outcome that Stripe did not report. */
export const unknownOutcome = (cause?: unknown): OutcomeUnknown => new OutcomeUnknown('Stripe did not say whether money moved.', { cause });
