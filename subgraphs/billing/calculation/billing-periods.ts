import { DateTime } from 'luxon';
import { type BillingCycle, monthsOf } from '../../../kernel/values/billing-cycle.ts';
import { dateOf } from '../../../kernel/values/days.ts';
import { localTime, startOfDay } from '../../../kernel/values/local-time.ts';

/** A period of time. It contains its start, but not its end. */
export interface Period {
  start: Date;
  end: Date;
}

/** A billing period. The first period has the number 0, and earlier periods have negative numbers. */
export interface BillingPeriod extends Period {
  number: number;
}

/** Returns the date of a timestamp in a time zone, such as `2026-01-31`. */
export const localDay = (instant: Date, zone: string): string => dateOf(new Date(localTime(instant.getTime(), zone)));

/**
 * Returns the start of billing period `n`, which is also the end of the period before it. It is the start of a local day,
 * `n` billing cycles after the date `anchor`. In a month without the day of the anchor, it is the last day of the month:
 * monthly boundaries of 31 January are 28 February, 31 March and 30 April.
 * @throws RangeError if there is no such date or time zone
 */
export function boundary(anchor: string, cycle: BillingCycle, n: number, zone: string): Date {
  // adds all months to the anchor, because a boundary on 28 February does not tell whether the next one is on the 28th or 31st
  const date = DateTime.fromISO(anchor, { zone: 'utc' }).plus({ months: n * monthsOf(cycle) });
  if (!date.isValid) throw new RangeError(`${anchor} is not a date.`);
  return startOfDay(date.toISODate(), zone);
}

/**
 * Returns the billing period that contains a point in time.
 * @throws RangeError if there is no such date or time zone
 */
export function periodAt(anchor: string, cycle: BillingCycle, instant: Date, zone: string): BillingPeriod {
  const startOf = (number: number): Date => boundary(anchor, cycle, number, zone);
  const months = monthIndex(localDay(instant, zone)) - monthIndex(anchor);
  let number = Math.floor(months / monthsOf(cycle));
  // the boundary in the month of `instant` can be later than `instant`
  if (startOf(number) > instant) number -= 1;
  return { number, start: startOf(number), end: startOf(number + 1) };
}

function monthIndex(date: string): number {
  const { year, month } = DateTime.fromISO(date, { zone: 'utc' });
  return year * 12 + month;
}
