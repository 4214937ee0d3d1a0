import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal, minorDigits, sum } from '../../../kernel/values/money.ts';
import { meteredAmount, type PriceModel, type PriceTier, tierProblem } from './rating.ts';

const decimal = (value: string | number): Decimal => new Decimal(value);
const tiers = (...all: [limit: string | null, unitPrice: string][]): PriceTier[] =>
  all.map(([limit, unitPrice]) => ({ upTo: limit === null ? null : decimal(limit), unitPrice: decimal(unitPrice) }));

const amount = (quantity: string | number, price: PriceModel, included: string | number = 0, currency = 'USD'): string =>
  meteredAmount({ quantity: decimal(quantity), included: decimal(included), price, currency }).toFixed(minorDigits(currency));

const perUnit = (unitPrice: string): PriceModel => ({ model: 'per_unit', unitPrice: decimal(unitPrice) });
const blocks = (blockSize: string, blockPrice: string): PriceModel => ({
  model: 'blocks',
  blockSize: decimal(blockSize),
  blockPrice: decimal(blockPrice),
});

// the tiers of https://docs.stripe.com/subscriptions/pricing-models/tiered-pricing
const STRIPE_TIERS = tiers(['5', '7'], ['10', '6.5'], [null, '6']);

describe('a price per unit', () => {
  test('55 units of 0.067 cost 3.69, because 3.685 is rounded half up', () => {
    expect(amount(55, perUnit('0.067'))).toBe('3.69');
  });

  test('10 events of 3 units of 0.0008 cost 0.02, because their quantities are summed before the price is rounded', () => {
    const quantity = sum(Array.from({ length: 10 }, () => decimal(3)));
    expect(amount(quantity.toFixed(), perUnit('0.0008'))).toBe('0.02');
    expect(amount(3, perUnit('0.0008'))).toBe('0.00');
  });

  test('a unit price can have ten decimal places', () => {
    expect(amount(123_456_789, perUnit('0.0000000001'))).toBe('0.01');
    expect(amount('1e10', perUnit('0.0000000001'))).toBe('1.00');
  });

  test('a usage quantity can be a fraction', () => {
    expect(amount('1.5', perUnit('0.33'))).toBe('0.50');
  });

  test('a usage amount has the decimal places of its currency', () => {
    expect([amount(3, perUnit('0.5'), 0, 'JPY'), amount(3, perUnit('0.3335'), 0, 'KWD')]).toEqual(['2', '1.001']);
  });
});

describe('an included quantity', () => {
  test('an included quantity costs nothing', () => {
    expect([99, 100, 101].map((quantity) => amount(quantity, perUnit('2'), 100))).toEqual(['0.00', '0.00', '2.00']);
  });

  test('tiers and blocks start after the included quantity', () => {
    expect(amount(106, { model: 'graduated', tiers: STRIPE_TIERS }, 100)).toBe('41.50');
    expect(amount(106, { model: 'volume', tiers: STRIPE_TIERS }, 100)).toBe('39.00');
    expect([amount(110, blocks('10', '3'), 100), amount(111, blocks('10', '3'), 100)]).toEqual(['3.00', '6.00']);
  });
});

describe('tiers', () => {
  test.each([
    [1, '7.00', '7.00'],
    [5, '35.00', '35.00'],
    [6, '39.00', '41.50'],
    [20, '120.00', '127.50'],
    [25, '150.00', '157.50'],
  ])('%i units in the example of Stripe cost %s as volume tiers and %s as graduated tiers', (quantity, volume, graduated) => {
    expect(amount(quantity, { model: 'volume', tiers: STRIPE_TIERS })).toBe(volume);
    expect(amount(quantity, { model: 'graduated', tiers: STRIPE_TIERS })).toBe(graduated);
  });

  test('a graduated price is rounded once and not for each tier', () => {
    expect(amount(3, { model: 'graduated', tiers: tiers(['1', '0.004'], ['2', '0.004'], [null, '0.004']) })).toBe('0.01');
  });

  test.each([
    ['there are none', tiers()],
    ['the last one has a limit', tiers(['5', '7'], ['10', '6'])],
    ['one before the last has no limit', tiers([null, '7'], [null, '6'])],
    ['two have the same limit', tiers(['5', '7'], ['5', '6'], [null, '5'])],
    ['a limit is lower than the one before', tiers(['5', '7'], ['4', '6'], [null, '5'])],
    ['the first limit is 0', tiers(['0', '7'], [null, '5'])],
  ])('tiers are invalid if %s', (_, invalid) => {
    expect(tierProblem(invalid)).toMatch(/^must have /);
    expect(() => amount(1, { model: 'graduated', tiers: invalid })).toThrow(RangeError);
    expect(() => amount(1, { model: 'volume', tiers: invalid })).toThrow(RangeError);
  });

  test('tiers with increasing limits and a last tier without a limit are valid', () => {
    expect(tierProblem(STRIPE_TIERS)).toBeUndefined();
    expect(tierProblem(tiers([null, '5']))).toBeUndefined();
  });
});

describe('blocks', () => {
  test('a block that is partly used costs as much as a full block', () => {
    expect(['0', '0.001', '10', '10.001', '20', '21'].map((quantity) => amount(quantity, blocks('10', '2.5')))).toEqual([
      '0.00',
      '2.50',
      '2.50',
      '5.00',
      '5.00',
      '7.50',
    ]);
  });

  test('a block size must be greater than 0', () => {
    expect(() => amount(1, blocks('0', '2.5'))).toThrow(RangeError);
  });
});

describe('amounts as sums of the prices of all units', () => {
  /** Quantities, limits and block sizes in thousandths of a unit; prices in 10^-10 of the currency. */
  const MILLI = 1_000;
  const quantities = fc.integer({ min: 0, max: 4_000 });
  const prices = fc.bigInt({ min: 0n, max: 10n ** 12n });
  const currencies = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF');
  const milli = (value: number): Decimal => decimal(value).div(MILLI);
  const exactPrice = (value: bigint): Decimal => decimal(`${value}e-10`);

  /** Calculates the price of each thousandth of a unit after the included quantity, and rounds the sum of these prices. */
  function expectedAmount(
    quantity: number,
    included: number,
    priceOf: (position: number, count: number) => bigint,
    currency: string,
  ): string {
    const count = Math.max(quantity - included, 0);
    let total = 0n;
    for (let position = 1; position <= count; position += 1) total += priceOf(position, count);
    const unit = BigInt(MILLI) * 10n ** BigInt(10 - minorDigits(currency));
    return decimal(`${(2n * total + unit) / (2n * unit)}e-${minorDigits(currency)}`).toFixed();
  }

  const check = (priced: fc.Arbitrary<{ price: PriceModel; priceOf: (position: number, count: number) => bigint }>): void =>
    fc.assert(
      fc.property(
        priced,
        quantities,
        fc.integer({ min: 0, max: 1_000 }),
        currencies,
        ({ price, priceOf }, quantity, included, currency) => {
          const actual = meteredAmount({ quantity: milli(quantity), included: milli(included), price, currency });
          expect(actual.toFixed()).toBe(expectedAmount(quantity, included, priceOf, currency));
        },
      ),
    );

  const limits = fc.uniqueArray(fc.integer({ min: 1, max: 4_000 }), { maxLength: 4 }).map((all) => all.sort((one, other) => one - other));
  const tiered = fc.tuple(limits, fc.array(prices, { minLength: 5, maxLength: 5 })).map(([ends, unitPrices]) => ({
    tiers: [...ends, null].map((end, index) => ({
      upTo: end === null ? null : milli(end),
      unitPrice: exactPrice(unitPrices[index] as bigint),
    })),
    /** Price of the tier that contains the unit at this position. */
    priceAt: (position: number): bigint => unitPrices[ends.filter((end) => end < position).length] as bigint,
  }));

  test('for any price per unit, the amount is the rounded sum of the prices of all units', () => {
    check(prices.map((price) => ({ price: { model: 'per_unit', unitPrice: exactPrice(price) }, priceOf: () => price })));
  });

  test('for any graduated tiers, the amount is the rounded sum of the prices of all units', () => {
    check(tiered.map(({ tiers, priceAt }) => ({ price: { model: 'graduated', tiers }, priceOf: priceAt })));
  });

  test('for any volume tiers, the amount is the rounded sum of the prices of all units', () => {
    check(tiered.map(({ tiers, priceAt }) => ({ price: { model: 'volume', tiers }, priceOf: (_, count) => priceAt(count) })));
  });

  test('for any block size, the amount is the rounded sum of the prices of all started blocks', () => {
    check(
      fc.tuple(fc.integer({ min: 1, max: 1_500 }), prices).map(([size, price]) => ({
        price: { model: 'blocks', blockSize: milli(size), blockPrice: exactPrice(price) },
        priceOf: (position) => (position % size === 1 % size ? price * BigInt(MILLI) : 0n),
      })),
    );
  });
});
