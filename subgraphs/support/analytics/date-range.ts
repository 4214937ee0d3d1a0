/** Which days or hours are asked for: the last so many, or from one date to another, both included. */
export type DateRange = { days: number } | { hours: number } | { from: string; to: string };

export const DAYS_MAX = 366;
const DAY_MS = 86_400_000;

export const DATE_RANGE_RULE = `must be so many hours, days or weeks such as 24h, 30d or 12w, or two dates such as 2026-01-01..2026-01-31, at most ${DAYS_MAX} days`;

/** Undefined for what is none, or longer than `DAYS_MAX`. */
export function parseDateRange(text: string): DateRange | undefined {
  const [, digits, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  if (digits && unit) {
    const count = Number(digits);
    const days = unit === 'w' ? count * 7 : unit === 'd' ? count : Math.ceil(count / 24);
    if (days < 1 || days > DAYS_MAX) return undefined;
    return unit === 'h' ? { hours: count } : { days };
  }
  const [, from, to] = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/.exec(text) ?? [];
  if (!from || !to || !isDate(from) || !isDate(to)) return undefined;
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return days >= 1 && days <= DAYS_MAX ? { from, to } : undefined;
}

/** Whether a date is on the calendar; a year 0 is none to PostgreSQL. */
const isDate = (date: string): boolean => !date.startsWith('0000') && !Number.isNaN(Date.parse(date)) && isoDate(Date.parse(date)) === date;

const isoDate = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Every date from one to the other, both included. */
export function datesBetween(first: string, last: string): string[] {
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, days) }, (_, index) => isoDate(Date.parse(first) + index * DAY_MS));
}

/** The week of a date as ISO 8601 counts them: from Monday, and of the year in which its Thursday lies. `2026-W05`. */
export function isoWeek(date: string): string {
  const ms = Date.parse(date);
  const weekday = (new Date(ms).getUTCDay() + 6) % 7;
  const thursday = ms + (3 - weekday) * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const week = Math.floor((thursday - Date.UTC(year, 0, 1)) / DAY_MS / 7) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}
