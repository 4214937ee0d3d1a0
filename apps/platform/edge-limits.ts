import type { RequestContext } from '../../kernel/request.ts';
import type { Edge } from '../../router/edge/edge.ts';
import type { UsageAllowance } from '../../subgraphs/billing/usage/usage-allowance.ts';
import type { CallerLimits, RateLimits } from '../../subgraphs/identity/usage/rate-limits.ts';

/**
 * Gives the domains access to the rate limit counters of the edge. The edge is created after the domains, so `bind` sets
 * the edge later.
 */
export class EdgeLimits implements RateLimits, UsageAllowance {
  #edge: Edge | undefined;

  bind(edge: Edge): void {
    this.#edge = edge;
  }

  limitsOf(request: RequestContext): Promise<CallerLimits> {
    return this.#bound().usageOf(request);
  }

  charge(request: RequestContext, events: number): Promise<void> {
    return this.#bound().chargeUsageEvents(request, events);
  }

  #bound(): Edge {
    if (!this.#edge) throw new Error('The edge is not mounted yet.');
    return this.#edge;
  }
}
