import { BillingCycle, monthsOf } from '../../../kernel/values/billing-cycle.ts';
import { boundary, localDay, type Period } from '../calculation/billing-periods.ts';
import type { SubscriptionItem } from './subscription-item.entity.ts';

const MONTHS_A_YEAR = 12;

/** The next period of an item. Only the part from `from` is charged. */
export interface NextPeriod {
  period: Period;
  from: Date;
  /** New values of the item: `anchor` and `months`. */
  anchor: string;
  months: number;
}

type Billed = Pick<SubscriptionItem, 'anchor' | 'months' | 'billingCycle' | 'billedUntil' | 'startsAt'>;

/**
 * Returns the period that begins when the charged time of an item ends. Periods are counted from the anchor of the item. If the account has
 * a billing day, periods begin on this day. The period before the first full period is shorter, and only a part of the price is charged for
 * it.
 * @param billingDay day of the month, 1 to 31; null if periods start on the day on which the service started
 */
export function nextPeriod(item: Billed, zone: string, billingDay: number | null): NextPeriod {
  const { anchor, billedUntil: from } = item;
  const length = monthsOf(item.billingCycle);
  if (billingDay === null || Number(anchor.slice(8)) === billingDay) return regularPeriod(item, length, zone);
  // January has 31 days, so the anchor keeps the wanted day
  const moved = `${localDay(from, zone).slice(0, 4)}-01-${String(billingDay).padStart(2, '0')}`;
  const at = boundaryOf(moved, zone);
  let months = 0;
  while (months <= MONTHS_A_YEAR && at(months) < from) months += 1;
  if (at(months).getTime() === from.getTime()) return regularPeriod({ ...item, anchor: moved, months }, length, zone);
  return { period: { start: at(months - length), end: at(months) }, from, anchor: moved, months };
}

function regularPeriod({ anchor, months, billedUntil: from, startsAt }: Billed, length: number, zone: string): NextPeriod {
  const at = boundaryOf(anchor, zone);
  let end = months + length;
  // the account may have moved to a time zone whose days start earlier
  while (at(end) <= from) end += length;
  // a first period can start within a day, of which only the rest is charged; all others follow the period before exactly
  const isFirst = from.getTime() === startsAt.getTime();
  const start = isFirst ? new Date(Math.min(at(months).getTime(), from.getTime())) : from;
  return { period: { start, end: at(end) }, from, anchor, months: end };
}

const boundaryOf =
  (anchor: string, zone: string) =>
  (months: number): Date =>
    boundary(anchor, BillingCycle.MONTHLY, months, zone);
