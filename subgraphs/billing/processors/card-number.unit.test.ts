import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCardNumber, refuseCardNumber } from './card-number.ts';

/** The Luhn contribution of each digit at a doubled position, as a table, because the tested code uses a formula. */
const DOUBLED = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];

/** Appends the Luhn check digit, so that the digits become a valid card number. */
function withCheckDigit(digits: readonly number[]): string {
  const total = digits.reduceRight(
    (sum, digit, index) => sum + ((digits.length - index) % 2 === 1 ? (DOUBLED[digit] as number) : digit),
    0,
  );
  return [...digits, (10 - (total % 10)) % 10].join('');
}

const numbers = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 11, maxLength: 18 }).map(withCheckDigit);

describe('isCardNumber', () => {
  test.each([
    '4242424242424242',
    '4242 4242 4242 4242',
    '4242-4242-4242-4242',
    ' 4242\u00a04242\t4242 4242 ',
    '378282246310005',
    '6011000990139424',
    '4222222222222',
    '6304000000000000000',
  ])('%s looks like a card number', (text) => {
    expect(isCardNumber(text)).toBe(true);
  });

  test.each([
    '',
    'tok_visa',
    'pm_4242424242424242',
    '4242424242424241',
    '42424242424',
    '42424242424242424242',
    '4242.4242.4242.4242',
    '12',
  ])('%j does not look like a card number', (text) => {
    expect(isCardNumber(text)).toBe(false);
  });

  test('every number of 12 to 19 digits with a valid check digit is recognized, with any spaces and dashes', () => {
    const separators = fc.array(fc.constantFrom('', '', ' ', '-', '  '), { minLength: 18, maxLength: 18 });
    fc.assert(
      fc.property(numbers, separators, (number, between) => {
        const text = [...number].map((digit, index) => (index === 0 ? digit : `${between[index - 1]}${digit}`)).join('');
        expect(isCardNumber(text)).toBe(true);
      }),
    );
  });

  test('a number with one changed digit is not recognized', () => {
    fc.assert(
      fc.property(numbers, fc.nat(), fc.integer({ min: 1, max: 9 }), (number, position, change) => {
        const index = position % number.length;
        const changed = `${number.slice(0, index)}${(Number(number[index]) + change) % 10}${number.slice(index + 1)}`;
        expect(isCardNumber(changed)).toBe(false);
      }),
    );
  });

  test('a long text of digits and spaces is checked in linear time', () => {
    const began = performance.now();
    expect(isCardNumber(`${'4 '.repeat(200_000)}x`)).toBe(false);
    expect(isCardNumber(`4${' -'.repeat(200_000)}`)).toBe(false);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

test('the error about a card number does not contain any of its digits', () => {
  expect(() => refuseCardNumber('4242424242424242')).toThrow(/^[^\d]+$/);
  expect(() => refuseCardNumber('tok_visa')).not.toThrow();
});
