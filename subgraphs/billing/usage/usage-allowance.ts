import type { RequestContext } from '../../../kernel/request.ts';

/** The number of usage events that an organization may record in a minute. The platform's edge counts them, for all processes. */
export interface UsageAllowance {
  /**
   * Charges events to the organization of the caller.
   * @throws RateLimitExceeded (429) if the plan does not allow as many events; nothing is charged
   */
  charge(request: RequestContext, events: number): Promise<void>;
}

/** An allowance without a limit. */
export const NO_LIMIT: UsageAllowance = { charge: async () => undefined };
