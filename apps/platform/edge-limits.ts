import type { RequestContext } from '../../kernel/request.ts';
import type { Edge } from '../../router/edge/edge.ts';
import type { CallerLimits, RateLimits } from '../../subgraphs/identity/usage/rate-limits.ts';

/** The counters of the edge as identity shows them. The edge comes after the domains: it is bound when it stands. */
export class EdgeLimits implements RateLimits {
  #edge: Edge | undefined;

  bind(edge: Edge): void {
    this.#edge = edge;
  }

  limitsOf(request: RequestContext): Promise<CallerLimits> {
    if (!this.#edge) throw new Error('The edge is not mounted yet.');
    return this.#edge.usageOf(request);
  }
}
