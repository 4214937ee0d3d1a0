const SECOND_MS = 1000;
const JITTER = 0.1;
const ASKED_MAX_MS = 24 * 60 * 60 * SECOND_MS;

/** Pauses that become `factor` times as long with each failure in a row, up to `maxMs`. */
export interface Backoff {
  firstMs: number;
  factor: number;
  maxMs: number;
}

/** The pause after so many failures in a row, at least one, in milliseconds. */
export const pauseAfter = (failures: number, { firstMs, factor, maxMs }: Backoff): number =>
  Math.min(maxMs, firstMs * factor ** (failures - 1));

/**
 * When to try again: after the pause, changed by up to ±10 % at random, so that requests that failed together are not repeated
 * together. Never earlier than the remote asks for in `Retry-After`, up to a day.
 */
export function retryAt(now: Date, pauseMs: number, askedMs = 0, random: () => number = Math.random): Date {
  const chosenMs = pauseMs * (1 + JITTER * (2 * random() - 1));
  return new Date(now.getTime() + Math.round(Math.max(chosenMs, Math.min(askedMs, ASKED_MAX_MS))));
}

/** A `Retry-After` header, in seconds or as a date, as milliseconds from now; 0 where it is missing or neither. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  if (!header) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * SECOND_MS : Date.parse(header) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
