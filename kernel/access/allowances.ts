import type { RequestContext } from '../request.ts';
import { PLANS } from './plans.ts';
import type { Plan } from './principal.ts';

/**
 * Kinds of data whose amount in any 60 seconds the plan limits: usage events of services, samples of metrics, and log entries. These limits
 * replace the request limits: a request that sends such data does not count as a request.
 */
const LIMITS = { usage_events: 'usageEventsPerMinute', samples: 'samplesPerMinute', log_entries: 'logEntriesPerMinute' } as const;
export type AllowanceName = keyof typeof LIMITS;

/** Returns the maximum amount of an allowance in any 60 seconds. */
export const allowanceOf = (plan: Plan, name: AllowanceName): number => PLANS[plan][LIMITS[name]];

/** An allowance: the limit of one kind of data for all organizations. The platform's edge counts the data of all processes. */
export interface Allowance {
  /**
   * Charges an amount to the organization of the caller.
   * @throws RateLimitExceeded (429) if the amount exceeds the allowance of the plan; no amount is charged
   */
  charge(request: RequestContext, amount: number): Promise<void>;
}

/** An allowance without a limit. */
export const NO_LIMIT: Allowance = { charge: async () => undefined };
