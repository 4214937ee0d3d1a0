const SECOND_MS = 1000;
const JITTER = 0.1;
const ASKED_MAX_MS = 24 * 60 * 60 * SECOND_MS;

/** A `Retry-After` header, in seconds or as a date, as milliseconds from now; 0 where it says nothing. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  if (!header) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * SECOND_MS : Date.parse(header) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/**
 * How long to wait before another attempt, in milliseconds: within ±10 % of the pause by chance, so that what failed together does
 * not come back together; never less than the remote asks for, up to a day.
 */
export function spread(pauseMs: number, askedMs = 0, random: () => number = Math.random): number {
  const chosen = pauseMs * (1 + JITTER * (2 * random() - 1));
  return Math.round(Math.max(chosen, Math.min(askedMs, ASKED_MAX_MS)));
}
