import { Type } from '@mikro-orm/core';
import { Decimal } from 'decimal.js';

// the default of 20 significant digits is not enough for the product of a large price and a large quantity
Decimal.set({ precision: 60 });

export { Decimal };

/** Number of decimal digits by currency (ISO 4217 code). Currencies that are not listed have two decimal digits. */
const MINOR_DIGITS: Readonly<Record<string, number>> = {
  ...digits(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...digits(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...digits(4, 'CLF UYW'),
};

function digits(count: number, currencies: string): Record<string, number> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, count]));
}

/** ISO 4217 codes that are not currencies: precious metals, units of account, and codes for tests. */
export const NOT_MONEY: readonly string[] = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');

/** Returns the number of decimal digits of a currency (ISO 4217 code). */
export const minorDigits = (currency: string): number => MINOR_DIGITS[currency] ?? 2;

/**
 * Returns true if an amount has no more decimal digits than its currency, so that it can be paid: 149.95 USD, but not
 * 149.955 USD. Trailing zeros do not count.
 */
export const isPayable = (amount: Decimal, currency: string): boolean => amount.decimalPlaces() <= minorDigits(currency);

/**
 * Rounds an amount to the decimal digits of a currency, half away from zero. Invoice lines are rounded once; totals are
 * sums of rounded lines.
 */
export const roundTo = (amount: Decimal, currency: string): Decimal => amount.toDecimalPlaces(minorDigits(currency), Decimal.ROUND_HALF_UP);

/** Returns the exact sum of the amounts, without rounding. */
export const sum = (amounts: readonly Decimal[]): Decimal => amounts.reduce((total, amount) => total.plus(amount), new Decimal(0));

/** Type of a column `numeric(18,4)`, whose values are exact decimals. */
export class MoneyType extends Type<Decimal | null | undefined, string | null | undefined> {
  override convertToDatabaseValue(value: Decimal | string | null | undefined): string | null | undefined {
    return value === null || value === undefined ? value : new Decimal(value).toFixed(4);
  }

  override convertToJSValue(value: string | null | undefined): Decimal | null | undefined {
    return value === null || value === undefined ? value : new Decimal(value);
  }

  override compareAsType(): string {
    return 'string';
  }

  override getColumnType(): string {
    return 'numeric(18,4)';
  }

  override ensureComparable(): boolean {
    return true;
  }
}

/** Number of digits after the point in a column for rates and quantities. */
const RATE_DIGITS = 10;

/** Type of a column `numeric(20,10)`: a price of one unit, which may be less than a cent, or a quantity. */
export class RateType extends MoneyType {
  override convertToDatabaseValue(value: Decimal | string | null | undefined): string | null | undefined {
    return value === null || value === undefined ? value : new Decimal(value).toFixed(RATE_DIGITS);
  }

  override getColumnType(): string {
    return 'numeric(20,10)';
  }
}
