import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../kernel/values/money.ts';
import { fromStripeAmount, toStripeAmount } from './stripe-amounts.ts';

describe('toStripeAmount', () => {
  // the examples are from docs.stripe.com/currencies
  test.each([
    ['10', 'USD', 1000],
    ['10', 'JPY', 10],
    ['500', 'JPY', 500],
    ['5', 'ISK', 500],
    ['5', 'UGX', 500],
    ['5.12', 'KWD', 5120],
    ['5.13', 'KWD', 5130],
    ['10.45', 'HUF', 1045],
    ['800.45', 'TWD', 80_045],
    ['1200', 'MGA', 1200],
    ['0.01', 'eur', 1],
  ])('%s %s is sent to Stripe as %d', (amount, currency, expected) => {
    expect(toStripeAmount(new Decimal(amount), currency)).toBe(expected);
  });

  test.each([
    ['5.124', 'KWD'],
    ['0.001', 'BHD'],
    ['10.5', 'JPY'],
    ['40.10', 'ISK'],
    ['5.5', 'UGX'],
    ['1.2', 'MGA'],
    ['0.001', 'USD'],
    ['0', 'USD'],
    ['-1', 'USD'],
    ['90071992547409.92', 'USD'],
  ])('Stripe cannot charge exactly %s %s, so the result is null', (amount, currency) => {
    expect(toStripeAmount(new Decimal(amount), currency)).toBeNull();
  });

  test('the amount in cents consists of the digits of the written amount without its decimal point', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n }), (cents) => {
        const text = cents.toString().padStart(3, '0');
        expect(String(toStripeAmount(new Decimal(`${text.slice(0, -2)}.${text.slice(-2)}`), 'USD'))).toBe(cents.toString());
      }),
    );
  });

  test('an amount that can be sent to Stripe is returned unchanged from Stripe', () => {
    const currencies = fc.constantFrom('USD', 'JPY', 'ISK', 'UGX', 'MGA', 'KWD', 'TND', 'XOF', 'EUR');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 0, max: 4 }), currencies, (digits, places, currency) => {
        const amount = new Decimal(digits).dividedBy(new Decimal(10).pow(places));
        const sent = toStripeAmount(amount, currency);
        if (sent !== null) expect(fromStripeAmount(sent, currency).equals(amount)).toBe(true);
      }),
    );
  });
});
