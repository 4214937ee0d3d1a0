import type { Decimal } from '../../../kernel/values/money.ts';
import { localDay, type Period } from '../calculation/billing-periods.ts';
import { proratedShare } from '../calculation/proration.ts';
import type { LineDraft } from '../invoices/invoice-issue.ts';
import type { SubscriptionCharge } from './subscription-charge.entity.ts';
import type { SubscriptionItem } from './subscription-item.entity.ts';

/**
 * Returns the invoice line for a charge. The line of a whole period shows the number of months and the price of a
 * month. The line of a part of a period shows only the amount.
 */
export function chargeLine(charge: SubscriptionCharge, { serviceId, name, category }: SubscriptionItem, currency: string): LineDraft {
  const { itemId, kind, price, months, periodStart, periodEnd, fromAt, toAt, timezone } = charge;
  const isWhole = fromAt.getTime() === periodStart.getTime() && toAt.getTime() === periodEnd.getTime();
  const period = { start: fromAt, end: toAt };
  const description = `${name}, ${daysOf(period, timezone)}`;
  const priced = isWhole ? { quantity: months, unitPrice: price } : { quantity: 1, unitPrice: amountOf(charge, currency) };
  return { serviceId, description, category, kind, itemId, period, ...priced };
}

/** Returns the amount of a charge, or of the part of the charge from `start` on. */
export function amountOf(charge: SubscriptionCharge, currency: string, start = charge.fromAt): Decimal {
  const { price, months, periodStart, periodEnd, fromAt, toAt: to, timezone: zone } = charge;
  const from = start > fromAt ? start : fromAt;
  return proratedShare({ price: price.times(months), currency, period: { start: periodStart, end: periodEnd }, from, to, zone });
}

/** Returns the first and last local day of a period, as a text such as `2026-01-31 to 2026-02-27`. */
const daysOf = ({ start, end }: Period, zone: string): string =>
  `${localDay(start, zone)} to ${localDay(new Date(end.getTime() - 1), zone)}`;
