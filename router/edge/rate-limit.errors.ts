import type { AllowanceName } from '../../kernel/access/allowances.ts';
import { PlatformError } from '../../kernel/errors/errors.ts';
import type { RateCategory } from '../../kernel/http/http.ts';
import type { RateState, WindowState } from './limiter.ts';

/** A limit that can be exceeded: a time window, the concurrency slots of the plan, or an allowance. */
export type WindowName = 'hour' | 'minute' | 'burst' | 'concurrency' | AllowanceName | RateCategory;

/**
 * Error 429 with the details of the exceeded limit (specification 7). `state` contains the values of the rate limit
 * headers.
 */
export class RateLimitExceeded extends PlatformError {
  constructor(
    readonly window: WindowName,
    full: WindowState,
    readonly state: RateState,
  ) {
    super('RATE_LIMIT_EXCEEDED', `${limitText(window, full.limit)} Try again in ${state.retryAfter} s.`, {
      window,
      limit: full.limit,
      remaining: full.remaining,
      reset_time: full.resetAt.toISOString(),
      retry_after: state.retryAfter,
      current_usage: full.used,
    });
  }
}

/**
 * Error 403 for a key, user or certificate that is suspended because it exceeded the burst limit (specification 8.3).
 */
export class KeySuspended extends PlatformError {
  constructor(
    until: Date,
    readonly state: RateState,
  ) {
    super(
      'KEY_SUSPENDED',
      `These credentials are suspended until ${until.toISOString()}, because they exceeded the burst limit. Try again in ${state.retryAfter} s.`,
      { suspended_until: until.toISOString(), retry_after: state.retryAfter },
    );
  }
}

function limitText(window: WindowName, limit: number): string {
  switch (window) {
    case 'hour':
      return `This would exceed the limit of ${limit} requests an hour.`;
    case 'minute':
      return `This would exceed the key's limit of ${limit} requests in 60 seconds.`;
    case 'burst':
      return `This would exceed the burst of ${limit} requests in 60 seconds.`;
    case 'usage_events':
      return `This would exceed the plan's limit of ${limit} usage events in 60 seconds.`;
    case 'samples':
      return `This would exceed the plan's limit of ${limit} samples in 60 seconds.`;
    case 'log_entries':
      return `This would exceed the plan's limit of ${limit} log entries in 60 seconds.`;
    case 'concurrency':
      return `The plan's limit of ${limit} concurrent requests is reached.`;
    default:
      return `This would exceed the limit of ${limit} ${window} operations an hour.`;
  }
}
