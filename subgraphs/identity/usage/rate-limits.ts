import type { RequestContext } from '../../../kernel/request.ts';

/** Current state of one limit. `limit` may be `Infinity`. */
export interface LimitUsage {
  readonly used: number;
  readonly limit: number;
  readonly resetAt: Date;
}

/** Current state of all limits of a caller. */
export interface CallerLimits {
  readonly hour: LimitUsage;
  readonly burst: LimitUsage;
  readonly at: Date;
  /** Limits by category name (specification 8.4). */
  readonly categories: Readonly<Record<string, LimitUsage>>;
  readonly concurrency: { readonly used: number; readonly limit: number; readonly waiting: number };
  readonly suspendedUntil: Date | null;
}

/** Source of the current limits. The platform's edge counts requests; identity only shows the counts. */
export interface RateLimits {
  /** Returns the limits of the caller. The values for hour and burst equal the rate headers of the response. */
  limitsOf(request: RequestContext): Promise<CallerLimits>;
}
