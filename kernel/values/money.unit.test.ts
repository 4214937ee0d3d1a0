import { describe, expect, test } from 'vitest';
import { Decimal, isPayable, MoneyType, minorDigits, roundTo, sum } from './money.ts';

const decimals = (...values: string[]): Decimal[] => values.map((value) => new Decimal(value));

describe('currency digits', () => {
  test.each([
    ['USD', 2],
    ['EUR', 2],
    ['JPY', 0],
    ['XOF', 0],
    ['KWD', 3],
    ['IQD', 3],
    ['CLF', 4],
  ])('the currency %s has %i decimal digits', (currency, count) => {
    expect(minorDigits(currency)).toBe(count);
  });

  test.each([
    ['149.95', 'USD', true],
    ['149.950', 'USD', true],
    ['149.955', 'USD', false],
    ['150', 'JPY', true],
    ['150.5', 'JPY', false],
    ['1.234', 'KWD', true],
    ['1.2345', 'KWD', false],
  ])('isPayable for the amount %s %s returns %s', (amount, currency, expected) => {
    expect(isPayable(new Decimal(amount), currency)).toBe(expected);
  });
});

describe('rounding of money', () => {
  // as floats 1.005 and 2.675 are below the half and would be rounded down
  test.each([
    ['1.005', 'USD', '1.01'],
    ['2.675', 'USD', '2.68'],
    ['2.6749999', 'USD', '2.67'],
    ['-1.005', 'USD', '-1.01'],
    ['1234.5', 'JPY', '1235'],
    ['1234.4999', 'JPY', '1234'],
    ['0.0005', 'KWD', '0.001'],
    ['0.00005', 'CLF', '0.0001'],
  ])('the amount %s in %s is rounded to %s', (amount, currency, rounded) => {
    expect(roundTo(new Decimal(amount), currency).toFixed()).toBe(rounded);
  });
});

describe('sums of money', () => {
  test('a sum of money has no floating-point rounding error', () => {
    expect(0.1 + 0.2).not.toBe(0.3);
    expect(sum(decimals('0.1', '0.2')).toNumber()).toBe(0.3);
    expect(sum(Array.from({ length: 10 }, () => new Decimal('0.1'))).toNumber()).toBe(1);
    expect(sum(decimals('1.1', '2.2', '-3.3')).toNumber()).toBe(0);
  });

  test('sums of money keep every digit of amounts that a float cannot represent', () => {
    expect(sum(decimals('99999999999999.9999', '0.0001')).toFixed(4)).toBe('100000000000000.0000');
    expect(new Decimal('999999999.9999').times('999999.9999').toFixed()).toBe('999999999899900.00000001');
  });

  test('the sum of no amounts is zero', () => {
    expect(sum([]).toFixed(2)).toBe('0.00');
  });
});

describe('money column', () => {
  const type = new MoneyType();

  test('a money column returns exactly the decimal value that was written', () => {
    for (const value of ['0', '0.0001', '149.95', '99999999999999.9999', '-12.5']) {
      expect(type.convertToJSValue(type.convertToDatabaseValue(new Decimal(value)))?.toFixed()).toBe(value);
    }
  });

  test('a money column writes null and reads it as null', () => {
    expect(type.convertToJSValue(type.convertToDatabaseValue(null))).toBeNull();
  });
});
