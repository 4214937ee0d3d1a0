import type { Plan } from '../../kernel/access/principal.ts';
import type { Priority, RateCategory } from '../../kernel/http/http.ts';

/** How much fits into an hour and into any 60 seconds, in weighted requests. `Infinity` is counted and never refused. */
export interface RateLimit {
  readonly perHour: number;
  readonly burst: number;
}

export const HOUR_MS = 3_600_000;
export const MINUTE_MS = 60_000;

/** How long who exceeds the burst is suspended (8.3). */
export const SUSPENSION_MS = 300_000;

/** Specification 8.4: operations of a category that an organization may run in an hour. */
export const CATEGORY_LIMITS: Readonly<Record<RateCategory, number>> = { billing: 100, provisioning: 50, export: 10, account: 200 };

/**
 * What a plan allows of a category; `custom` is counted and never refused. A request counts one in its category whatever it changes:
 * one that changes many records at once (a bulk) counts one too.
 */
export const categoryLimit = (plan: Plan, category: RateCategory): number =>
  plan === 'custom' ? Number.POSITIVE_INFINITY : CATEGORY_LIMITS[category];

/** Statuses of a request that was refused before anything was looked for or done: it takes nothing from its category. */
export const TAKES_NOTHING: ReadonlySet<number> = new Set([400, 401, 403, 413, 415]);

/** The classes of the queue of 8.4, the first to be served first. */
export const PRIORITIES: readonly Priority[] = ['critical', 'high', 'normal', 'low'];

const WEIGHTS: Readonly<Record<string, number>> = { GET: 1, HEAD: 1, POST: 2, PUT: 2, PATCH: 2, DELETE: 3, OPTIONS: 0 };

/** What a request costs against hour and burst (8.4); one that the specification does not name costs what a read does. */
export const weightOf = (method: string): number => WEIGHTS[method] ?? 1;

/** A key's own limits (2.2), both in any 60 seconds: to exceed the first throttles, to exceed the second suspends the key (8.3). */
export interface KeyLimits {
  readonly perMinute?: number | undefined;
  readonly burst?: number | undefined;
}

export const keyLimits = (rate: { requestsPerMinute?: number | null; burstLimit?: number | null }): KeyLimits => ({
  perMinute: rate.requestsPerMinute ?? undefined,
  burst: rate.burstLimit ?? undefined,
});

/**
 * What headers say where a plan has no limit: they are numbers on every plan, and this one fits into 32 bits. Never refused.
 * Tokens say the same of a minute (`rate_limit.requests_per_minute`).
 */
export const FAIR_USE: RateLimit = { perHour: 60_000_000, burst: 1_000_000 };
