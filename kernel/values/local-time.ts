import { IANAZone } from 'luxon';
import { DAY_MS, dateOf, MINUTE_MS } from './days.ts';

/**
 * Returns the date and time that clocks in a time zone show at `time`, as the UTC timestamp with the same date and time:
 * for 09:00 in New York, the timestamp of 09:00 UTC. `time` and the result are in milliseconds.
 * @throws RangeError if there is no such time zone
 */
export function localTime(time: number, zone: string): number {
  if (zone === 'UTC' && !Number.isNaN(time)) return time;
  const offset = IANAZone.create(zone).offset(time);
  if (Number.isNaN(offset)) throw new RangeError(`The time ${time} or the time zone ${zone} is invalid.`);
  return time + offset * MINUTE_MS;
}

/**
 * Returns the first point in time at which the local date is `date`, such as `2026-01-31`. If clocks show midnight twice,
 * it is the first midnight. If clocks skip midnight, it is the first time after the skip, such as 01:00.
 * @throws RangeError if there is no such time zone or date
 */
export function startOfDay(date: string, zone: string): Date {
  const midnight = Date.parse(date);
  // near a clock change, midnight can have the offset from before or after the change
  const candidates = [midnight - DAY_MS, midnight + DAY_MS].map((near) => midnight - (localTime(near, zone) - near));
  return new Date(Math.min(...candidates.filter((time) => localTime(time, zone) >= midnight)));
}

/** Returns the start of each of consecutive dates in a time zone, and the end of the last one. */
export function dayStarts(dates: readonly string[], zone: string): Date[] {
  const last = dates.at(-1);
  const next = last === undefined ? [] : [dateOf(new Date(Date.parse(last) + DAY_MS))];
  return [...dates, ...next].map((date) => startOfDay(date, zone));
}
