import { Decimal } from '../../../kernel/values/money.ts';

interface StripeUnit {
  /** Number of decimal digits that Stripe's API uses for the currency. */
  digits: number;
  /** Stripe accepts only amounts, in its own unit, that are a multiple of this number. */
  multipleOf: number;
}

const CENTS: StripeUnit = { digits: 2, multipleOf: 1 };

/**
 * Units of Stripe's API by currency (docs.stripe.com/currencies), for currencies without cents. Some units differ from ISO 4217: amounts in
 * ISK and UGX have two digits that must be 00, and amounts in MGA have no digits. Currencies with three digits must have 0 as the last
 * digit.
 */
const UNITS: Readonly<Record<string, StripeUnit>> = {
  ...units({ digits: 0, multipleOf: 1 }, 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'),
  ...units({ digits: 2, multipleOf: 100 }, 'ISK UGX'),
  ...units({ digits: 3, multipleOf: 10 }, 'BHD JOD KWD OMR TND'),
};

function units(unit: StripeUnit, currencies: string): Record<string, StripeUnit> {
  return Object.fromEntries(currencies.split(' ').map((currency) => [currency, unit]));
}

const unitOf = (currency: string): StripeUnit => UNITS[currency.toUpperCase()] ?? CENTS;

/**
 * Returns an amount in the unit of Stripe's API, such as 1050 for 10.50 USD. Returns null if Stripe cannot charge exactly
 * this amount, such as 5.125 KWD. The amount is never rounded.
 */
export function toStripeAmount(amount: Decimal, currency: string): number | null {
  const { digits, multipleOf } = unitOf(currency);
  const units = amount.times(new Decimal(10).pow(digits));
  if (!units.isPositive() || units.isZero() || !units.modulo(multipleOf).isZero()) return null;
  // an integer without decimal digits, so nothing is lost
  const whole = Number.parseInt(units.toFixed(0), 10);
  return Number.isSafeInteger(whole) ? whole : null;
}

/** Converts an amount of Stripe's API to units of the currency, such as 1050 to 10.50 USD. */
export const fromStripeAmount = (units: number, currency: string): Decimal =>
  new Decimal(units).dividedBy(new Decimal(10).pow(unitOf(currency).digits));
