import { DAY_MS, dateOf } from '../../../kernel/values/days.ts';
import { startOfDay } from '../../../kernel/values/local-time.ts';
import { localDay, type Period } from '../calculation/billing-periods.ts';
import { UsageReportPeriod } from './usage.states.ts';

/** The days of a usage report, in a time zone. */
export interface ReportDays {
  firstDay: string;
  /** Last day of the report. It is today if the period has not ended. */
  lastDay: string;
  /** Last month of the report, such as `2026-01`. */
  lastMonth: string;
  /** Number of days in the last month, and number of these days that have begun. */
  daysOfMonth: number;
  daysPassed: number;
}

/** Returns the days of a report period at the time `now`. Months and years begin at midnight in the time zone. */
export function reportDays(period: UsageReportPeriod, now: Date, zone: string): ReportDays {
  const today = localDay(now, zone);
  const thisMonth = today.slice(0, 7);
  if (period === UsageReportPeriod.LAST_MONTH) {
    const lastMonth = monthBefore(thisMonth);
    const daysOfMonth = daysIn(lastMonth);
    return { firstDay: `${lastMonth}-01`, lastDay: `${lastMonth}-${daysOfMonth}`, lastMonth, daysOfMonth, daysPassed: daysOfMonth };
  }
  const firstDay = period === UsageReportPeriod.CURRENT_MONTH ? `${thisMonth}-01` : `${today.slice(0, 4)}-01-01`;
  return { firstDay, lastDay: today, lastMonth: thisMonth, daysOfMonth: daysIn(thisMonth), daysPassed: Number(today.slice(8)) };
}

/** Returns the period of a month, such as `2026-01`, in a time zone. */
export const monthPeriod = (month: string, zone: string): Period => ({
  start: startOfDay(`${month}-01`, zone),
  end: startOfDay(`${monthAfter(month)}-01`, zone),
});

const monthBefore = (month: string): string => dateOf(new Date(Date.parse(`${month}-01`) - DAY_MS)).slice(0, 7);
const monthAfter = (month: string): string => dateOf(new Date(Date.parse(`${month}-28`) + 4 * DAY_MS)).slice(0, 7);
const daysIn = (month: string): number => Number(dateOf(new Date(Date.parse(`${monthAfter(month)}-01`) - DAY_MS)).slice(8));
