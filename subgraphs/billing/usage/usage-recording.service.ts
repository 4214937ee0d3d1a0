import type { Allowance } from '../../../kernel/access/allowances.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Graph } from '../../../kernel/graph.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { UsageMetric } from '../usage-prices/usage-metric.states.ts';
import { meteredServices } from './metered-services.ts';
import type { UsageEvent, UsageStore } from './usage.store.ts';
import type { RefusedUsage, UsageReceipt } from './usage.types.ts';
import { DEFAULT_SOURCE, eventProblem } from './usage-event.rules.ts';

export interface UsageRecordingServiceDeps {
  request: RequestContext;
  graph: Graph;
  clock: Clock;
  store: UsageStore;
  allowance: Allowance;
}

/** A usage event in a request. */
interface SentEvent {
  id: string;
  source?: string | null;
  serviceId: string;
  metric: string;
  quantity: UsageEvent['quantity'];
  timestamp: Date;
}

/**
 * Minimum number of events that a request counts as. The limit of usage events replaces the request limit, so even an empty request must
 * count.
 */
const LEAST_CHARGE = 10;

/** Records the usage of services that callers have metered. */
export class UsageRecordingService {
  constructor(private readonly deps: UsageRecordingServiceDeps) {}

  /**
   * Records usage events, each only once. An event with an invalid value is rejected, and the others are recorded.
   * @throws RateLimitExceeded if the plan does not allow this number of events; no event is recorded
   */
  async record(sent: readonly SentEvent[]): Promise<UsageReceipt> {
    const { request, graph, clock, store, allowance } = this.deps;
    await allowance.charge(request, Math.max(LEAST_CHARGE, sent.length));
    const now = clock.now();
    const refused: RefusedUsage[] = [];
    const refuse = ({ id }: SentEvent, index: number, reason: string): void => void refused.push({ index, id, reason });
    const wellFormed = sent.flatMap((event, index) => {
      const problem = eventProblem(event, now);
      if (problem) refuse(event, index, problem);
      return problem ? [] : [{ event, index }];
    });
    const services = await meteredServices(
      graph,
      request,
      wellFormed.map(({ event }) => event.serviceId),
    );
    const events = wellFormed.flatMap(({ event, index }): UsageEvent[] => {
      const service = services.get(event.serviceId);
      if (!service) refuse(event, index, 'service_id is not found');
      return service ? [usageEventOf(event, service)] : [];
    });
    const accepted = await store.write(request.principal.organizationId, events, now);
    return { accepted, duplicates: events.length - accepted, refused: refused.toSorted((one, other) => one.index - other.index) };
  }
}

const usageEventOf = ({ id, source, metric, quantity, timestamp }: SentEvent, service: UsageEvent['service']): UsageEvent => ({
  ...{ id, source: source ?? DEFAULT_SOURCE, service, metric: metric as UsageMetric, quantity, occurredAt: timestamp },
});
