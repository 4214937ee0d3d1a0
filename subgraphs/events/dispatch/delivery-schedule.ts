import { HOUR_MS, MINUTE_MS } from '../../../kernel/values/days.ts';

const SECOND_MS = 1000;

/**
 * Delays between the attempts of a delivery, in milliseconds (docs/decisions/events-and-webhooks.md): ten attempts in a
 * little more than three days.
 */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

export const MAX_ATTEMPTS = PAUSES_MS.length + 1;

/**
 * Returns the delay before the next attempt in milliseconds. `attempts` is the number of failed attempts. Returns
 * undefined if there is no further attempt.
 */
export const pauseAfter = (attempts: number): number | undefined => PAUSES_MS[attempts - 1];
