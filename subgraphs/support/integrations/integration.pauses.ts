const PAUSE_MAX_MS = 3_600_000;
const FACTOR = 3;
const JITTER = 0.1;
const AFTER_MAX_MS = 24 * 3_600_000;

/**
 * When to try again after so many failures in a row: three times as long each time, an hour at most, within 10 % by chance, so that
 * what failed together does not come back together; never before what the remote asks for.
 */
export function pauseAfter(failures: number, firstMs: number, afterMs = 0, now: Date, random: () => number = Math.random): Date {
  const pauseMs = Math.min(PAUSE_MAX_MS, firstMs * FACTOR ** Math.max(0, failures - 1));
  const spread = pauseMs * (1 + JITTER * random());
  return new Date(now.getTime() + Math.round(Math.max(spread, Math.min(afterMs, AFTER_MAX_MS))));
}
