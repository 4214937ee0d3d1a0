/** Functions for days and months of the UTC calendar, and for ISO 8601 dates such as `2026-01-31`. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Returns the UTC date of a point in time: `2026-01-31`. */
export const dateOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Returns the UTC month of a point in time: `2026-01`. */
export const monthNameOf = (at: Date): string => at.toISOString().slice(0, 7);

/** Returns the start of the UTC day that is `days` after the day of `at`. Negative values return earlier days. */
export const dayStart = (at: Date, days = 0): Date => new Date((Math.floor(at.getTime() / DAY_MS) + days) * DAY_MS);

/** Returns the start of the UTC month that is `months` after the month of `at`. */
export const monthStart = (at: Date, months = 0): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));

export const hourStart = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);

/** Returns true if a text is an existing date. Year 0 is invalid, because PostgreSQL does not have it. */
export function isDate(text: string): boolean {
  const ms = /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && dateOf(new Date(ms)) === text;
}

/** Returns all dates from `first` to `last`, both inclusive. */
export function datesBetween(first: string, last: string): string[] {
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, days) }, (_, index) => dateOf(new Date(Date.parse(first) + index * DAY_MS)));
}

/** Returns the ISO 8601 week of a date: `2026-W05`. Weeks start on Monday and belong to the year of their Thursday. */
export function isoWeek(date: string): string {
  const day = new Date(date);
  const thursday = dayStart(day, 3 - ((day.getUTCDay() + 6) % 7));
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / DAY_MS / 7) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}
