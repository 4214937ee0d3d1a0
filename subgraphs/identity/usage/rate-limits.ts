import type { RequestContext } from '../../../kernel/request.ts';

/** One limit as it stands. `limit` may be `Infinity`. */
export interface LimitUsage {
  readonly used: number;
  readonly limit: number;
  readonly resetAt: Date;
}

/** Everything that is limited, as it stands for a caller at an instant. */
export interface CallerLimits {
  readonly hour: LimitUsage;
  readonly burst: LimitUsage;
  readonly at: Date;
  /** By the names of specification 8.4. */
  readonly categories: Readonly<Record<string, LimitUsage>>;
  readonly concurrency: { readonly used: number; readonly limit: number; readonly waiting: number };
  readonly suspendedUntil: Date | null;
}

/** Whoever counts requests, which is the edge of the platform: identity only shows it. */
export interface RateLimits {
  /** Hour and burst as the rate headers of the answer to this request say them. */
  limitsOf(request: RequestContext): Promise<CallerLimits>;
}
