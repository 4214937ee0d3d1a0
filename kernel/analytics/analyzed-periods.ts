import type { Rows } from '../database/database.ts';
import type { DateRange } from '../values/date-range.ts';
import { DAY_MS, dateOf, datesBetween } from '../values/days.ts';
import { type Period, periodOf } from '../values/period.ts';
import type { AnalyticsRange } from './analytics-scope.ts';

/**
 * Returns the period of an analysis at a time, the period before, and the last day that has ended. A period that includes today ends now.
 * A period that begins later has its days, but no time: its end is its start.
 */
export async function analyzedPeriods(
  rows: Rows,
  asked: DateRange,
  timezone: string,
  now: Date,
): Promise<Pick<AnalyticsRange, 'period' | 'before' | 'lastWholeDay'>> {
  const whole = await periodOf(rows, asked, timezone, now);
  const today = (await periodOf(rows, { days: 1 }, timezone, now)).lastDay;
  const period = begun(whole, today, now);
  const { firstDay, lastDay } = period;
  const count = datesBetween(firstDay, lastDay).length;
  return {
    period,
    before: await periodOf(rows, { from: addDays(firstDay, -count), to: addDays(firstDay, -1) }, timezone, now),
    lastWholeDay: whole.start >= now ? addDays(firstDay, -1) : period.end < now ? lastDay : addDays(lastDay, -1),
  };
}

/** Returns the part of a period that has begun. */
function begun(period: Period, today: string, now: Date): Period {
  const { start, end, lastDay } = period;
  if (start >= now) return { ...period, end: start };
  return end > now ? { ...period, end: now, lastDay: today < lastDay ? today : lastDay } : period;
}

const addDays = (date: string, count: number): string => dateOf(new Date(Date.parse(date) + count * DAY_MS));
