/** Days and months as the calendar of UTC has them, and dates as ISO 8601 writes them: `2026-01-31`. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The date of an instant (UTC). */
export const dateOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The month of an instant (UTC): `2026-01`. */
export const monthNameOf = (at: Date): string => at.toISOString().slice(0, 7);

/** The first instant of the day that is so many days after that of an instant; before it, where they are negative. */
export const dayStart = (at: Date, days = 0): Date => new Date((Math.floor(at.getTime() / DAY_MS) + days) * DAY_MS);

/** The first instant of the month that is so many months after that of an instant. */
export const monthStart = (at: Date, months = 0): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1));

export const hourStart = (at: Date): Date => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);

/** Whether a text is a date of the calendar; a year 0 is none to PostgreSQL. */
export function isDate(text: string): boolean {
  const ms = /^(?!0000)\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && dateOf(new Date(ms)) === text;
}

/** Every date from one to the other, both included. */
export function datesBetween(first: string, last: string): string[] {
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, days) }, (_, index) => dateOf(new Date(Date.parse(first) + index * DAY_MS)));
}

/** The week of a date as ISO 8601 counts them: from Monday, and of the year in which its Thursday lies. `2026-W05`. */
export function isoWeek(date: string): string {
  const day = new Date(date);
  const thursday = dayStart(day, 3 - ((day.getUTCDay() + 6) % 7));
  const year = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / DAY_MS / 7) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}
