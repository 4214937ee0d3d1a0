import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal, minorDigits, sum } from '../../../kernel/values/money.ts';
import { shareOf } from './share.ts';

const decimal = (value: number | bigint | string): Decimal => new Decimal(value.toString());
const share = (total: string, part: number, whole: number, before: number, currency = 'USD'): string =>
  shareOf(decimal(total), decimal(part), decimal(whole), decimal(before), currency).toFixed();

/** Rounds the quotient of two numbers half up. The numbers must not be negative. */
const rounded = (numerator: bigint, denominator: bigint): bigint => (2n * numerator + denominator) / (2n * denominator);

const currencies = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF');
/** Totals in ten-thousandths, and sizes of consecutive parts of which at least one is not 0. */
const totals = fc.bigInt({ min: 0n, max: 10n ** 17n });
const partitions = fc
  .array(fc.bigInt({ min: 0n, max: 10n ** 11n }), { minLength: 1, maxLength: 12 })
  .filter((parts) => parts.some(Boolean));

test('three equal parts of 100.00 are 33.33, 33.34 and 33.33', () => {
  expect([0, 1, 2].map((before) => share('100', 1, 3, before))).toEqual(['33.33', '33.34', '33.33']);
});

test('a share of half a cent is rounded away from zero for positive and negative totals', () => {
  expect([share('0.01', 1, 2, 0), share('0.01', 1, 2, 1)]).toEqual(['0.01', '0']);
  expect([share('-0.01', 1, 2, 0), share('-0.01', 1, 2, 1)]).toEqual(['-0.01', '0']);
});

test('half of 0.05 is rounded up to 0.03, although 0.05 divided by the size of the whole has no exact decimal number', () => {
  expect(share('0.05', 14, 28, 0)).toBe('0.03');
});

test('a share has the decimal places of its currency', () => {
  expect([share('100', 1, 3, 0, 'JPY'), share('100', 1, 3, 0, 'KWD'), share('100', 1, 3, 0, 'CLF')]).toEqual(['33', '33.333', '33.3333']);
});

test('an empty part has the share 0', () => {
  expect(share('100', 0, 3, 1)).toBe('0');
});

test.each([
  ['starts before the whole', 1, 3, -1],
  ['ends after the whole', 2, 3, 2],
  ['has a negative size', -1, 3, 2],
  ['belongs to an empty whole', 0, 0, 0],
  ['is not a number', Number.NaN, 3, 0],
])('shareOf refuses a part that %s', (_, part, whole, before) => {
  expect(() => share('100', part, whole, before)).toThrow(RangeError);
});

test('the shares of any partition equal the shares of integer arithmetic, and add up to the rounded total', () => {
  fc.assert(
    fc.property(totals, partitions, currencies, (total, parts, currency) => {
      const whole = parts.reduce((size, part) => size + part);
      const unit = 10n ** BigInt(4 - minorDigits(currency));
      const upTo = (end: bigint): bigint => rounded(total * end, whole * unit);
      const starts = parts.map((_, index) => parts.slice(0, index).reduce((size, part) => size + part, 0n));
      const expected = parts.map((part, index) => upTo((starts[index] as bigint) + part) - upTo(starts[index] as bigint));

      const shares = parts.map((part, index) =>
        shareOf(decimal(total).div(10_000), decimal(part), decimal(whole), decimal(starts[index] as bigint), currency),
      );
      const minorUnits = (amount: Decimal): string => amount.times(10 ** minorDigits(currency)).toFixed();
      expect(shares.map(minorUnits)).toEqual(expected.map(String));
      expect(minorUnits(sum(shares))).toBe(String(rounded(total, unit)));
    }),
  );
});

test('the shares of a negative total are the negated shares of the positive total', () => {
  fc.assert(
    fc.property(totals, fc.nat(1000), fc.nat(1000), fc.integer({ min: 1, max: 1000 }), (total, before, part, after) => {
      const [sizes, amount] = [
        [part, before + part + after, before].map(decimal) as [Decimal, Decimal, Decimal],
        decimal(total).div(10_000),
      ];
      expect(shareOf(amount.negated(), ...sizes, 'USD').equals(shareOf(amount, ...sizes, 'USD').negated())).toBe(true);
    }),
  );
});
