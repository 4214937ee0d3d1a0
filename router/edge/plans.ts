import type { Priority, RateCategory } from '../../kernel/http.ts';

/** How much fits into an hour and into any 60 seconds, in weighted requests. `Infinity` is counted and never refused. */
export interface RateLimit {
  readonly perHour: number;
  readonly burst: number;
}

export const HOUR_MS = 3_600_000;
export const BURST_MS = 60_000;

/** How long who exceeds the burst is suspended (8.3). */
export const SUSPENSION_MS = 300_000;

/** Specification 8.4: operations of a category that an organization may run in an hour. */
export const CATEGORY_LIMITS: Readonly<Record<RateCategory, number>> = { billing: 100, provisioning: 50, export: 10, account: 200 };

/** The classes of the queue of 8.4, the first to be served first. */
export const PRIORITIES: readonly Priority[] = ['critical', 'high', 'normal', 'low'];

const WEIGHTS: Readonly<Record<string, number>> = { GET: 1, HEAD: 1, POST: 2, PUT: 2, PATCH: 2, DELETE: 3, OPTIONS: 0 };

/** What a request costs against hour and burst (8.4); one that the specification does not name costs what a read does. */
export const weightOf = (method: string): number => WEIGHTS[method] ?? 1;

/** A key's own `rate_limit` (2.2), as a window of the same two lengths: a sustained rate and what it may rise to in a minute. */
export const keyLimits = (rate: { requestsPerMinute: number; burstLimit?: number | null }): RateLimit => ({
  perHour: rate.requestsPerMinute * 60,
  burst: rate.burstLimit ?? rate.requestsPerMinute,
});
