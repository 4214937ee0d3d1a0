import { DAY_MS, isDate } from './days.ts';

/** A range of time: the last days, the last hours, or from one date to another date (both inclusive). */
export type DateRange = { days: number } | { hours: number } | { from: string; to: string };

export const DAYS_MAX = 366;

export const DATE_RANGE_RULE = `must be a number of hours, days or weeks such as 24h, 30d or 12w, or two dates such as 2026-01-01..2026-01-31, at most ${DAYS_MAX} days`;

/**
 * Pattern of date ranges in the OpenAPI document. A pattern cannot check that both dates exist, or that the first date
 * is not after the second.
 */
export const DATE_RANGE_PATTERN =
  '^(([1-9][0-9]{0,2}|[1-7][0-9]{3}|8[0-6][0-9]{2}|87[0-7][0-9]|878[0-4])h|([1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-6])d|([1-9]|[1-4][0-9]|5[0-2])w|[0-9]{4}-[0-9]{2}-[0-9]{2}[.]{2}[0-9]{4}-[0-9]{2}-[0-9]{2})$';

export const DAY_RANGE_RULE = `must be a number of days or weeks such as 30d or 12w, or two dates such as 2026-01-01..2026-01-31, at most ${DAYS_MAX} days`;

/** Pattern of date ranges of whole days in the OpenAPI document. */
export const DAY_RANGE_PATTERN =
  '^(([1-9][0-9]?|[12][0-9]{2}|3[0-5][0-9]|36[0-6])d|([1-9]|[1-4][0-9]|5[0-2])w|[0-9]{4}-[0-9]{2}-[0-9]{2}[.]{2}[0-9]{4}-[0-9]{2}-[0-9]{2})$';

/** Parses a date range. Returns undefined for an invalid text, or for a range longer than `DAYS_MAX`. */
export function parseDateRange(text: string): DateRange | undefined {
  const [, digits, unit] = /^([1-9]\d{0,3})([hdw])$/.exec(text) ?? [];
  if (digits && unit) {
    const count = Number(digits);
    const days = unit === 'w' ? count * 7 : unit === 'd' ? count : Math.ceil(count / 24);
    if (days > DAYS_MAX) return undefined;
    return unit === 'h' ? { hours: count } : { days };
  }
  const [, from, to] = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/.exec(text) ?? [];
  if (!from || !to || !isDate(from) || !isDate(to)) return undefined;
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return days >= 1 && days <= DAYS_MAX ? { from, to } : undefined;
}
