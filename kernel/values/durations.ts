import { DAY_MS, HOUR_MS, MINUTE_MS } from './days.ts';

const SECOND_MS = 1000;

/** Length of each unit, in calendar months or in milliseconds. A month has no fixed number of milliseconds. */
const UNITS = {
  second: { months: 0, ms: SECOND_MS },
  minute: { months: 0, ms: MINUTE_MS },
  hour: { months: 0, ms: HOUR_MS },
  day: { months: 0, ms: DAY_MS },
  week: { months: 0, ms: 7 * DAY_MS },
  month: { months: 1, ms: 0 },
  year: { months: 12, ms: 0 },
} as const satisfies Record<string, Duration>;

type Unit = keyof typeof UNITS;

/** A sum of calendar months and milliseconds, never negative. In a result of `parseDuration`, one of them is zero. */
export interface Duration {
  readonly months: number;
  readonly ms: number;
}

/** Thrown if a text is not a duration. The message contains the reason; the caller adds the name of the field. */
export class InvalidDuration extends RangeError {
  constructor(text: string, reason: string) {
    super(`${JSON.stringify(text.slice(0, 40))} is not a duration: ${reason}. Write it as 2 hours, 15_minutes, 7_days or 36_months.`);
    this.name = 'InvalidDuration';
  }
}

const TEXT = /^(\d{1,9})[ _]([a-z]{1,10})$/;
/** Maximum duration: 100 years, so that adding a duration to a date gives a valid date. */
const MAXIMUM: Duration = { months: 1200, ms: 36_525 * DAY_MS };

/**
 * Parses a duration in the formats of the specification: a whole number, a space or underscore, and a unit from second
 * to year, singular or plural.
 * @throws InvalidDuration if the text is not a duration
 */
export function parseDuration(text: string): Duration {
  const [, digits, word] = TEXT.exec(text) ?? [];
  if (!digits || !word) throw new InvalidDuration(text, 'it needs a whole number and a unit');

  const unit = word.replace(/s$/, '');
  if (!isUnit(unit)) throw new InvalidDuration(text, `there is no unit ${word}, only ${Object.keys(UNITS).join(', ')}`);

  const count = Number(digits);
  const duration = { months: UNITS[unit].months * count, ms: UNITS[unit].ms * count };
  if (duration.months > MAXIMUM.months || duration.ms > MAXIMUM.ms) throw new InvalidDuration(text, 'it is longer than 100 years');
  return duration;
}

const isUnit = (word: string): word is Unit => Object.hasOwn(UNITS, word);
const FORMAT_UNITS: Unit[] = ['day', 'hour', 'minute', 'second'];

/**
 * Formats a duration in the largest unit that divides it: `2 hours`, `1 day`, `36 months`. With `_` as the separator:
 * `2_hours`.
 */
export function formatDuration({ months, ms }: Duration, separator: ' ' | '_' = ' '): string {
  if (months > 0 && ms > 0) throw new RangeError('A duration of both months and milliseconds cannot be written in one unit.');
  if (months > 0) return counted(months, 'month', separator);

  const unit = FORMAT_UNITS.find((name) => ms >= UNITS[name].ms && ms % UNITS[name].ms === 0);
  return counted(Math.round(ms / UNITS[unit ?? 'second'].ms), unit ?? 'second', separator);
}

const counted = (count: number, unit: Unit, separator: string): string => `${count}${separator}${unit}${count === 1 ? '' : 's'}`;

/**
 * Adds a duration to a date, in UTC. Months are calendar months: the result is on the day `anchorDay` of the month
 * (default: the day of `date`), or on the last day of the month if the month is shorter.
 * With `anchorDay` 31, adding one month repeatedly to 31 January gives 28 February, 31 March and 30 April.
 */
export function addDuration(date: Date, { months, ms }: Duration, anchorDay: number = date.getUTCDate()): Date {
  const result = new Date(date);
  if (months > 0) {
    // sets day 1 first, because day 31 of a shorter month would become a day of the next month
    result.setUTCDate(1);
    result.setUTCMonth(result.getUTCMonth() + months);
    result.setUTCDate(Math.min(anchorDay, daysInMonth(result)));
  }
  return new Date(result.getTime() + ms);
}

const daysInMonth = (date: Date): number => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
