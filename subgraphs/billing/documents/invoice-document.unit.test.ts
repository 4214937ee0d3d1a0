import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../kernel/values/money.ts';
import { formatAmount, formatDate, formatQuantity, plainAmount } from './invoice-document.ts';

test.each([
  ['0', 'USD', '0.00'],
  ['-0', 'USD', '0.00'],
  ['1234.5', 'USD', '1,234.50'],
  ['-1234567.89', 'EUR', '-1,234,567.89'],
  ['999', 'EUR', '999.00'],
  ['1234', 'JPY', '1,234'],
  ['0.5', 'KWD', '0.500'],
  ['99999999999999.9999', 'USD', '99,999,999,999,999.9999'],
])('the amount %s in %s is shown as %s', (amount, currency, shown) => {
  expect(formatAmount(new Decimal(amount), currency)).toBe(shown);
});

test('a price with more digits than its currency is shown in full and never rounded', () => {
  expect(formatAmount(new Decimal('0.0008'), 'USD')).toBe('0.0008');
  expect(formatAmount(new Decimal('1e-10'), 'JPY')).toBe('0.0000000001');
});

test('any amount keeps its value, and its digits are grouped as in the number format of American English', () => {
  const minorUnits = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
  fc.assert(
    fc.property(minorUnits, (cents) => {
      const amount = new Decimal(cents.toString()).dividedBy(100);
      expect(new Decimal(plainAmount(amount, 'USD')).equals(amount)).toBe(true);
      const [whole, digits] = plainAmount(amount, 'USD').split('.');
      const negativeZero = whole === '-0' ? '-' : '';
      expect(formatAmount(amount, 'USD')).toBe(`${negativeZero}${BigInt(whole ?? '').toLocaleString('en-US')}.${digits}`);
    }),
  );
});

test('quantities are shown with commas between the thousands', () => {
  expect([0, 999, 1000, 1_000_000].map(formatQuantity)).toEqual(['0', '999', '1,000', '1,000,000']);
});

test('dates are shown as year, month and day in UTC', () => {
  expect(formatDate(new Date('2026-01-31T23:59:59.999Z'))).toBe('2026-01-31');
});
