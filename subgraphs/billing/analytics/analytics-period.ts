import { DAY_MS, dateOf, dayStart, monthStart } from '../../../kernel/values/days.ts';
import { AnalyticsPeriod } from './analytics.states.ts';

/** Days (UTC) as dates such as `2026-01-31`. `last` is exclusive. */
export interface Days {
  first: string;
  last: string;
}

/** Returns the days of an analysis period that ends today or earlier. */
export function daysOf(period: AnalyticsPeriod, now: Date): Days {
  const tomorrow = dayStart(now, 1);
  const back = (days: number): Days => span(dayStart(tomorrow, -days), tomorrow);
  const january = (years: number): Date => new Date(Date.UTC(now.getUTCFullYear() + years, 0, 1));
  switch (period) {
    case AnalyticsPeriod.LAST_7_DAYS:
      return back(7);
    case AnalyticsPeriod.LAST_30_DAYS:
      return back(30);
    case AnalyticsPeriod.LAST_90_DAYS:
      return back(90);
    case AnalyticsPeriod.CURRENT_MONTH:
      return span(monthStart(now), tomorrow);
    case AnalyticsPeriod.LAST_MONTH:
      return span(monthStart(now, -1), monthStart(now));
    case AnalyticsPeriod.CURRENT_YEAR:
      return span(january(0), tomorrow);
    case AnalyticsPeriod.LAST_YEAR:
      return span(january(-1), january(0));
  }
}

/** Returns the last `count` days, including today. */
export const lastDays = (count: number, now: Date): Days => span(new Date(dayStart(now, 1).getTime() - count * DAY_MS), dayStart(now, 1));

const span = (first: Date, last: Date): Days => ({ first: dateOf(first), last: dateOf(last) });
