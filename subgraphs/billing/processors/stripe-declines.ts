import type { Decline, DeclineCode } from './payment-processor.ts';

/**
 * Decline codes of the platform, each with the corresponding codes of Stripe (docs.stripe.com/declines/codes). Stripe advises not to show
 * that fraud is the reason of a decline. If a code is final, another attempt with the same card cannot succeed.
 */
const GROUPS: readonly { code: DeclineCode; isFinal: boolean; stripe: string }[] = [
  { code: 'insufficient_funds', isFinal: false, stripe: 'insufficient_funds balance_insufficient' },
  { code: 'limit_exceeded', isFinal: false, stripe: 'card_velocity_exceeded withdrawal_count_limit_exceeded' },
  { code: 'expired', isFinal: true, stripe: 'expired_card' },
  { code: 'stolen', isFinal: true, stripe: 'lost_card stolen_card pickup_card' },
  {
    code: 'authentication_required',
    isFinal: true,
    stripe:
      'authentication_required authentication_not_handled payment_intent_authentication_failure mobile_device_authentication_required',
  },
  {
    code: 'invalid_details',
    isFinal: true,
    stripe:
      'incorrect_address incorrect_cvc incorrect_number incorrect_zip invalid_account invalid_cvc invalid_expiry_month invalid_expiry_year invalid_number new_account_information_available',
  },
  {
    code: 'invalid_method',
    isFinal: true,
    stripe: 'resource_missing payment_method_invalid_parameter lost_or_stolen_card expired_or_canceled_card',
  },
  {
    code: 'unsupported',
    isFinal: true,
    stripe:
      'amount_too_large amount_too_small card_not_supported currency_not_supported invalid_amount invalid_charge_amount invalid_charge_amount_no_decimal_compatible',
  },
  {
    code: 'not_refundable',
    isFinal: true,
    stripe: 'charge_already_refunded charge_disputed charge_for_pending_refund_disputed charge_not_refundable refund_disputed_payment',
  },
  {
    code: 'declined',
    isFinal: true,
    stripe:
      'do_not_try_again fraudulent highest_risk_level merchant_blacklist restricted_card revocation_of_all_authorizations revocation_of_authorization security_violation stop_payment_order transaction_not_allowed',
  },
  { code: 'processing_error', isFinal: false, stripe: 'issuer_not_available processing_error reenter_transaction try_again_later' },
];

const DECLINES: ReadonlyMap<string, Decline> = new Map(
  GROUPS.flatMap(({ code, isFinal, stripe }) => stripe.split(' ').map((name) => [name, { code, isFinal }] as const)),
);

/** The fields of a Stripe error that state the reason. `advice_code` is the advice of the bank about another attempt. */
export interface StripeReason {
  code?: string | undefined;
  decline_code?: string | undefined;
  advice_code?: string | undefined;
}

const UNKNOWN: Decline = { code: 'declined', isFinal: false };

/** Returns the reason of a decline by Stripe, or `fallback` for an unknown code. */
export function declineOf({ code = '', decline_code = '', advice_code }: StripeReason, fallback = UNKNOWN): Decline {
  const decline = DECLINES.get(decline_code) ?? DECLINES.get(code) ?? fallback;
  if (advice_code === 'do_not_try_again') return { ...decline, isFinal: true };
  return advice_code === 'try_again_later' ? { ...decline, isFinal: false } : decline;
}
