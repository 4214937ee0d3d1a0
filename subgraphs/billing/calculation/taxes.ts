import { Decimal, roundTo } from '../../../kernel/values/money.ts';
import { shareOf } from './share.ts';

/** A tax, such as VAT. `percent` is 20 for a tax of 20 %. */
export interface TaxRate {
  id: string;
  name: string;
  percent: Decimal;
}

/** The net amount of an invoice line and the tax rates that apply to it. */
export interface TaxableLine {
  net: Decimal;
  rates: readonly TaxRate[];
  /** Reason why no tax is due, such as `Reverse charge`. If it is set, the rates of the line are ignored. */
  exemption?: string | null;
}

/** The tax of one rate on an invoice, or the lines that are exempt for one reason. */
export interface InvoiceTax {
  /** Tax rate. Null if the lines are exempt. */
  rate: TaxRate | null;
  /** Reason of the exemption. Null if the lines are taxed. */
  exemption: string | null;
  /** Sum of the rounded net amounts of the lines to which the tax applies. */
  taxable: Decimal;
  /** Rounded tax. 0 if the lines are exempt. */
  amount: Decimal;
}

/**
 * Returns the taxes of an invoice, in the order in which they first occur in the lines. As EN 16931 requires, the tax of a rate is computed
 * from the sum of its lines and rounded once. If several rates apply to a line, each is computed from the net amount. Lines that have
 * neither rates nor an exemption are ignored.
 */
export function taxesOf(lines: readonly TaxableLine[], currency: string): InvoiceTax[] {
  const entries = lines.flatMap(({ net, rates, exemption }): Omit<InvoiceTax, 'amount'>[] => {
    const taxable = roundTo(net, currency);
    return exemption ? [{ rate: null, exemption, taxable }] : rates.map((rate) => ({ rate, exemption: null, taxable }));
  });
  const taxes = new Map<string, InvoiceTax>();
  for (const entry of entries) {
    const key = entry.rate ? `rate ${entry.rate.id}` : `exemption ${entry.exemption}`;
    const taxable = entry.taxable.plus(taxes.get(key)?.taxable ?? 0);
    taxes.set(key, { ...entry, taxable, amount: entry.rate ? taxOn(taxable, entry.rate, currency) : new Decimal(0) });
  }
  return [...taxes.values()];
}

/**
 * Returns the tax that a credit of the net amount `credit` gives back. `creditedBefore` is the net amount of all earlier credits for lines
 * of the same invoice and rate. When all lines are fully credited, the returned taxes add up exactly to the tax of the invoice.
 */
export function creditedTax(rate: Pick<TaxRate, 'percent'>, creditedBefore: Decimal, credit: Decimal, currency: string): Decimal {
  return taxOn(creditedBefore.plus(credit), rate, currency).minus(taxOn(creditedBefore, rate, currency));
}

/** A refund of a payment. `amount` is the whole payment including `tax`; `refundedBefore` is the sum of all earlier refunds. */
export interface RefundedPayment {
  amount: Decimal;
  tax: Decimal;
  refundedBefore: Decimal;
  refund: Decimal;
}

/**
 * Returns the tax in a refund. When the whole payment is refunded, the taxes in its refunds add up exactly to its tax.
 * @throws RangeError if the refunds are more than the payment
 */
export function refundedTax({ amount, tax, refundedBefore, refund }: RefundedPayment, currency: string): Decimal {
  return shareOf(tax, refund, amount, refundedBefore, currency);
}

const taxOn = (net: Decimal, { percent }: Pick<TaxRate, 'percent'>, currency: string): Decimal =>
  roundTo(net.times(percent).div(100), currency);

/** Region, category of services and dates for which a tax rate applies. Dates are local dates, such as `2026-01-31`. */
export interface TaxScope {
  /** ISO 3166-1 code of the country in which the tax rate applies. */
  country: string;
  /** Region in which the tax rate applies. Null for all regions of the country. */
  region: string | null;
  /** Category of services to which the tax rate applies. Null for all categories. */
  category: string | null;
  validFrom: string;
  /** First date on which the rate no longer applies. Null if no end is planned. */
  validTo: string | null;
}

/** The place, category and day of a sale. They determine which tax rates apply to it. A null region or category is unknown. */
export interface TaxedSale {
  country: string;
  region: string | null;
  category: string | null;
  /** Local date of the invoice, such as `2026-01-31`. */
  day: string;
}

/** Returns the rates that apply to a sale, in the given order. Rates for a country and for one of its regions can both apply. */
export function ratesFor<R extends TaxScope>(rates: readonly R[], { country, region, category, day }: TaxedSale): R[] {
  return rates.filter(
    (rate) =>
      rate.country === country &&
      (rate.region === null || rate.region === region) &&
      (rate.category === null || rate.category === category) &&
      rate.validFrom <= day &&
      (rate.validTo === null || day < rate.validTo),
  );
}
