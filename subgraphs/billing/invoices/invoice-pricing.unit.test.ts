import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../kernel/values/money.ts';
import { lineAmount, type Priced, pricingProblems, totalAmount } from './invoice-pricing.ts';

const line = (quantity: number, unitPrice: string): Priced => ({ quantity, unitPrice: new Decimal(unitPrice) });

describe('invoice amounts', () => {
  test('the amount of an invoice line is rounded after the multiplication, to the decimal places of its currency', () => {
    expect(lineAmount(line(3, '0.335'), 'USD').toFixed()).toBe('1.01');
    expect(lineAmount(line(3, '33.5'), 'JPY').toFixed()).toBe('101');
    expect(lineAmount(line(3, '0.3335'), 'KWD').toFixed()).toBe('1.001');
  });

  test('an invoice total is the sum of the rounded amounts of its lines', () => {
    const lines = [line(1, '0.335'), line(1, '0.335'), line(1, '0.335')];
    expect(totalAmount(lines, 'USD').toFixed()).toBe('1.02');
  });

  test('an invoice total has no floating-point rounding error', () => {
    expect(3 * 1.1).not.toBe(3.3);
    expect(totalAmount([line(3, '1.1')], 'USD').toNumber()).toBe(3.3);
    expect(1.1 + 2.2).not.toBe(3.3);
    expect(totalAmount([line(1, '1.1'), line(1, '2.2')], 'USD').toNumber()).toBe(3.3);
  });
});

describe('invalid prices', () => {
  test.each([
    ['-0.01', 'USD', 'must be at least 0'],
    ['1.001', 'USD', 'must have at most 2 decimals in USD'],
    ['1.0001', 'KWD', 'must have at most 3 decimals in KWD'],
    ['100.5', 'JPY', 'must be a whole number of JPY'],
  ])('the price %s %s is refused: %s', (price, currency, reason) => {
    expect(pricingProblems([line(1, '1'), line(1, price)], currency)).toEqual([
      { field: 'services.1.unitPrice', value: Number(price), reason },
    ]);
  });

  test.each([
    ['0', 'USD'],
    ['-0', 'USD'],
    ['149.95', 'USD'],
    ['149.950', 'USD'],
    ['1.234', 'KWD'],
  ])('the price %s %s is accepted', (price, currency) => {
    expect(pricingProblems([line(1, price)], currency)).toEqual([]);
  });

  test('pricingProblems returns a problem for each invalid price', () => {
    expect(pricingProblems([line(1, '-1'), line(1, '0.001')], 'USD').map(({ field }) => field)).toEqual([
      'services.0.unitPrice',
      'services.1.unitPrice',
    ]);
  });

  test('an invoice total of 10^12 or more is refused', () => {
    expect(pricingProblems([line(1000, '999999999.99')], 'USD')).toEqual([]);
    expect(pricingProblems([line(1000, '1000000000')], 'USD')).toEqual([
      { field: 'services', reason: expect.stringContaining('less than') },
    ]);
  });
});
