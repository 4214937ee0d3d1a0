import type { Allowance, AllowanceName } from '../../kernel/access/allowances.ts';
import type { RequestContext } from '../../kernel/request.ts';
import type { Edge } from '../../router/edge/edge.ts';
import type { CallerLimits, RateLimits } from '../../subgraphs/identity/usage/rate-limits.ts';

/**
 * Gives the domains access to the rate limit counters of the edge. The edge is created after the domains, so `bind` sets
 * the edge later.
 */
export class EdgeLimits implements RateLimits {
  #edge: Edge | undefined;

  bind(edge: Edge): void {
    this.#edge = edge;
  }

  limitsOf(request: RequestContext): Promise<CallerLimits> {
    return this.#bound().usageOf(request);
  }

  /** Returns an allowance by its name. The allowance limits each organization separately. */
  allowance(name: AllowanceName): Allowance {
    return { charge: (request, amount) => this.#bound().chargeAllowance(request, name, amount) };
  }

  #bound(): Edge {
    if (!this.#edge) throw new Error('The edge is not mounted yet.');
    return this.#edge;
  }
}
