import type { RateState, WindowState } from './limiter.ts';
import { FAIR_USE, HOUR_MS, MINUTE_MS } from './plans.ts';

/**
 * Builds the rate limit headers of a response:
 * - the six headers of specification 8.2
 * - `RateLimit` and `RateLimit-Policy` with the same limits (draft-ietf-httpapi-ratelimit-headers)
 * - `Retry-After`, if the request was rejected
 */
export function rateHeaders(state: RateState): Record<string, string> {
  const { hour, burst, retryAfter } = state;
  const headers: Record<string, string> = {
    'x-ratelimit-limit': amount(hour.limit, FAIR_USE.perHour),
    'x-ratelimit-remaining': amount(hour.remaining, FAIR_USE.perHour - hour.used),
    'x-ratelimit-reset': String(Math.ceil(hour.resetAt.getTime() / 1000)),
    'x-ratelimit-burst': amount(burst.limit, FAIR_USE.burst),
    'x-ratelimit-burst-remaining': amount(burst.remaining, FAIR_USE.burst - burst.used),
    'x-ratelimit-retry-after': String(retryAfter),
  };
  if (retryAfter > 0) headers['retry-after'] = String(retryAfter);
  addStandard(headers, state);
  return headers;
}

/** Adds `RateLimit` and `RateLimit-Policy`. A plan without limits does not get these headers. */
function addStandard(headers: Record<string, string>, { hour, burst, at }: RateState): void {
  const policies: string[] = [];
  const limits: string[] = [];
  const add = (name: string, { limit, remaining, resetAt }: WindowState, windowMs: number): void => {
    if (!Number.isFinite(limit)) return;
    policies.push(`"${name}";q=${limit};w=${windowMs / 1000}`);
    limits.push(`"${name}";r=${remaining};t=${Math.max(0, Math.ceil((resetAt.getTime() - at.getTime()) / 1000))}`);
  };
  add('burst', burst, MINUTE_MS);
  add('hour', hour, HOUR_MS);
  if (policies.length === 0) return;
  headers['ratelimit-policy'] = policies.join(', ');
  headers.ratelimit = limits.join(', ');
}

const amount = (count: number, fairUse: number): string => String(Number.isFinite(count) ? count : Math.max(0, fairUse));
