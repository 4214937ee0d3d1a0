import type { Plan } from '../../kernel/access/principal.ts';
import type { Priority, RateCategory } from '../../kernel/http/http.ts';

/** Limits per hour and in any 60 seconds, in weighted requests. `Infinity` is counted but never refused. */
export interface RateLimit {
  readonly perHour: number;
  readonly burst: number;
}

export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;

/** Duration of a suspension for exceeding the burst limit (8.3). */
export const SUSPENSION_MS = 300_000;

/** Operations per category that an organization may run in an hour (specification 8.4). */
export const CATEGORY_LIMITS: Readonly<Record<RateCategory, number>> = { billing: 100, provisioning: 50, export: 10, account: 200 };

/**
 * The hourly limit of a plan for a category; `custom` is counted but never refused. Each request counts one, including bulk operations
 * that change many records.
 */
export const categoryLimit = (plan: Plan, category: RateCategory): number =>
  plan === 'custom' ? Number.POSITIVE_INFINITY : CATEGORY_LIMITS[category];

/** Statuses of requests that were refused before any work. They do not count in their category. */
export const TAKES_NOTHING: ReadonlySet<number> = new Set([400, 401, 403, 413, 415]);

/** Priorities of the queue in 8.4, highest first. */
export const PRIORITIES: readonly Priority[] = ['critical', 'high', 'normal', 'low'];

const WEIGHTS: Readonly<Record<string, number>> = { GET: 1, HEAD: 1, POST: 2, PUT: 2, PATCH: 2, DELETE: 3, OPTIONS: 0 };

/** The cost of a request in the hourly and burst limits (8.4). Methods that the specification does not mention cost the same as a read. */
export const weightOf = (method: string): number => WEIGHTS[method] ?? 1;

/** A key's own limits (2.2), both in any 60 seconds: exceeding `perMinute` throttles, exceeding `burst` suspends the key (8.3). */
export interface KeyLimits {
  readonly perMinute?: number | undefined;
  readonly burst?: number | undefined;
}

export const keyLimits = (rate: { requestsPerMinute?: number | null; burstLimit?: number | null }): KeyLimits => ({
  perMinute: rate.requestsPerMinute ?? undefined,
  burst: rate.burstLimit ?? undefined,
});

/**
 * Header values for a plan without limits, because the headers must be numbers (within 32 bits). They are never enforced. Access tokens
 * show the same number per minute (`rate_limit.requests_per_minute`).
 */
export const FAIR_USE: RateLimit = { perHour: 60_000_000, burst: 1_000_000 };
