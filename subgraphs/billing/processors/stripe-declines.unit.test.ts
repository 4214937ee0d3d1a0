import { describe, expect, test } from 'vitest';
import { declineOf } from './stripe-declines.ts';

describe('declineOf', () => {
  test.each([
    ['insufficient_funds', 'insufficient_funds', false],
    ['card_velocity_exceeded', 'limit_exceeded', false],
    ['generic_decline', 'declined', false],
    ['do_not_honor', 'declined', false],
    ['lost_card', 'stolen', true],
    ['pickup_card', 'stolen', true],
    ['fraudulent', 'declined', true],
    ['revocation_of_authorization', 'declined', true],
    ['authentication_required', 'authentication_required', true],
    ['try_again_later', 'processing_error', false],
    ['a_code_of_next_year', 'declined', false],
  ] as const)('the decline code %s of a card is %s (final: %s)', (decline_code, code, isFinal) => {
    expect(declineOf({ code: 'card_declined', decline_code })).toEqual({ code, isFinal });
  });

  test('a Stripe error without a decline code is classified by its error code', () => {
    expect(declineOf({ code: 'expired_card' })).toEqual({ code: 'expired', isFinal: true });
    expect(declineOf({ code: 'expired_card', decline_code: '' })).toEqual({ code: 'expired', isFinal: true });
  });

  test('the advice of the bank decides whether another attempt can succeed', () => {
    expect(declineOf({ decline_code: 'generic_decline', advice_code: 'do_not_try_again' })).toEqual({ code: 'declined', isFinal: true });
    expect(declineOf({ decline_code: 'lost_card', advice_code: 'try_again_later' })).toEqual({ code: 'stolen', isFinal: false });
    expect(declineOf({ decline_code: 'lost_card', advice_code: 'confirm_card_data' })).toEqual({ code: 'stolen', isFinal: true });
  });

  test('a decline with an unknown Stripe code gets the fallback code', () => {
    const fallback = { code: 'processing_error', isFinal: false } as const;
    expect(declineOf({ code: 'parameter_unknown' }, fallback)).toEqual(fallback);
  });
});
