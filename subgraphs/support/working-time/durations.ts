import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { parseDuration } from '../../../kernel/values/durations.ts';

const HOUR_MINUTES = 60;

/**
 * Formats a duration in hours if it is a whole number of hours, and otherwise in minutes: `24 hours`, `90 minutes`.
 * Days are not used, because the length of a working day is ambiguous.
 */
export const formatMinutes = (minutes: number): string => counted(minutes, minutes > 0 && minutes % HOUR_MINUTES === 0 ? HOUR_MINUTES : 1);

/** Formats a duration in hours and minutes, without seconds, such as `3 hours 20 minutes` or `-1 hour 5 minutes`. */
export function formatTime(ms: number): string {
  const total = Math.floor(Math.abs(ms) / MINUTE_MS);
  const [hours, minutes] = [Math.floor(total / HOUR_MINUTES), total % HOUR_MINUTES];
  const parts = [...(hours ? [counted(hours * HOUR_MINUTES, HOUR_MINUTES)] : []), ...(minutes || !hours ? [counted(minutes, 1)] : [])];
  return `${ms < 0 && total > 0 ? '-' : ''}${parts.join(' ')}`;
}

function counted(minutes: number, unit: number): string {
  const count = minutes / unit;
  return `${count} ${unit === 1 ? 'minute' : 'hour'}${count === 1 ? '' : 's'}`;
}

/**
 * Parses a duration in the formats of the specification, such as `15_minutes` or `8 hours`, and returns it in minutes.
 * @throws InvalidDuration if the text is not a duration
 * @throws RangeError if the duration contains months or is not a positive whole number of minutes
 */
export function parseMinutes(text: string): number {
  const { months, ms } = parseDuration(text);
  if (months > 0 || ms < MINUTE_MS || ms % MINUTE_MS > 0)
    throw new RangeError('Working time must be whole minutes, at least one, such as 15_minutes or 8 hours.');
  return ms / MINUTE_MS;
}
