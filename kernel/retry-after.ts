const SECOND_MS = 1000;

/** A `Retry-After` header, in seconds or as a date, as milliseconds from now; 0 where it says nothing. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  if (!header) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * SECOND_MS : Date.parse(header) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}
