import type { Plan } from '../../kernel/access/principal.ts';
import type { Priority, RateCategory } from '../../kernel/http/http.ts';

/**
 * Limits in weighted requests per hour and in any 60 seconds. With `Infinity`, requests are counted but never rejected.
 */
export interface RateLimit {
  readonly perHour: number;
  readonly burst: number;
}

export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;

/** Duration of a suspension for exceeding the burst limit (specification 8.3). */
export const SUSPENSION_MS = 300_000;

/** Maximum number of operations per category that an organization may run in an hour (specification 8.4). */
export const CATEGORY_LIMITS: Readonly<Record<RateCategory, number>> = { billing: 100, provisioning: 50, export: 10, account: 200 };

/**
 * Returns the hourly limit of a plan for a category. The plan `custom` has no limit. A bulk operation that changes many
 * records counts as one operation.
 */
export const categoryLimit = (plan: Plan, category: RateCategory): number =>
  plan === 'custom' ? Number.POSITIVE_INFINITY : CATEGORY_LIMITS[category];

/** Response statuses of requests that do not count in their category, because they were rejected before any work was done. */
export const TAKES_NOTHING: ReadonlySet<number> = new Set([400, 401, 403, 413, 415]);

/** Priorities in the queue for concurrency slots (specification 8.4), highest first. */
export const PRIORITIES: readonly Priority[] = ['critical', 'high', 'normal', 'low'];

const WEIGHTS: Readonly<Record<string, number>> = { GET: 1, HEAD: 1, POST: 2, PUT: 2, PATCH: 2, DELETE: 3, OPTIONS: 0 };

/**
 * Returns the cost of a request in the hourly and burst limits (specification 8.4). A method that the specification
 * does not mention costs as much as GET.
 */
export const weightOf = (method: string): number => WEIGHTS[method] ?? 1;

/**
 * Additional limits of an API key (specification 2.2), in any 60 seconds. A request over `perMinute` is rejected. A
 * request over `burst` also suspends the key (specification 8.3).
 */
export interface KeyLimits {
  readonly perMinute?: number | undefined;
  readonly burst?: number | undefined;
}

export const keyLimits = (rate: { requestsPerMinute?: number | null; burstLimit?: number | null }): KeyLimits => ({
  perMinute: rate.requestsPerMinute ?? undefined,
  burst: rate.burstLimit ?? undefined,
});

/**
 * Values that the rate limit headers show for a plan without limits, because the headers must be numbers of at most 32
 * bits. The platform does not enforce these values.
 * An access token for such a plan contains the value of `burst` in the field `rate_limit.requests_per_minute`.
 */
export const FAIR_USE: RateLimit = { perHour: 60_000_000, burst: 1_000_000 };
