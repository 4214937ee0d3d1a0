/** Functions for months of the calendar, which are texts such as `2026-01`. */

/** Largest number of months of one report. */
export const MONTHS_MAX = 60;

/** Returns the month that is `count` months after `month`. Negative numbers return earlier months. */
export function addMonths(month: string, count: number): string {
  const index = indexOf(month) + count;
  return `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`;
}

/** Returns the number of months from `first` to `last`, both inclusive. */
export const monthsBetween = (first: string, last: string): number => indexOf(last) - indexOf(first) + 1;

/** Returns the first day of a month, such as `2026-01-01`. */
export const firstDay = (month: string): string => `${month}-01`;

const indexOf = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
