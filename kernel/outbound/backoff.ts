const SECOND_MS = 1000;
const JITTER = 0.1;
const ASKED_MAX_MS = 24 * 60 * 60 * SECOND_MS;

/** Delays that grow by `factor` with each consecutive failure, up to `maxMs`. */
export interface Backoff {
  firstMs: number;
  factor: number;
  maxMs: number;
}

/**
 * Returns the delay in milliseconds before the next attempt. `failures` is the number of consecutive failures, at least
 * one.
 */
export const pauseAfter = (failures: number, { firstMs, factor, maxMs }: Backoff): number =>
  Math.min(maxMs, firstMs * factor ** (failures - 1));

/**
 * Returns the time of the next attempt: after `pauseMs`, or after `askedMs` if that is longer. The pause varies by ±10
 * %, so that requests that failed at the same time are not repeated at the same time. `askedMs` is the delay that the
 * remote server demands; at most a day of it is respected.
 */
export function retryAt(now: Date, pauseMs: number, askedMs = 0, random: () => number = Math.random): Date {
  const chosenMs = pauseMs * (1 + JITTER * (2 * random() - 1));
  return new Date(now.getTime() + Math.round(Math.max(chosenMs, Math.min(askedMs, ASKED_MAX_MS))));
}

/** Parses a `Retry-After` header (seconds or date) into milliseconds from now; 0 if it is missing or invalid. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  if (!header) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * SECOND_MS : Date.parse(header) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
