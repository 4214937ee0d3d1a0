import { z } from 'zod';
import { Principal } from '../../../kernel/access/principal.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { type LoggedEvent, type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { UsageMetric } from '../usage-prices/usage-metric.states.ts';
import { meteredServices } from './metered-services.ts';
import type { UsageStore } from './usage.store.ts';
import { MEASURED_SOURCE } from './usage-event.rules.ts';

/** The fields of the event `usage.recorded` that billing uses. The event may have more fields. */
const recorded = z.object({
  data: z.object({
    service_id: z.string(),
    metric: z.enum(UsageMetric),
    quantity: z.number().nonnegative(),
    from: timestamp,
    source: z.string(),
  }),
});

const NAME = 'billing.measured-usage';
/** Maximum number of decimal places of a stored quantity. */
const DIGITS = 10;

/**
 * Returns the reaction to the event `usage.recorded`, which reports usage that the platform has measured itself. The key of the event
 * (service, metric and hour) becomes the id of the usage event, so that repeated events count only once. All services report at the end of
 * an hour, so their events are handled together.
 */
export function measuredUsage({ graph, clock, log }: Ports, store: UsageStore): Reaction {
  const handleTogether = async (events: readonly LoggedEvent[]): Promise<void> => {
    const [first] = events;
    if (!first) return;
    const { organizationId } = first;
    const reported = events.map(({ payload }) => recorded.parse(JSON.parse(payload)).data);
    const request = { requestId: newId('request'), principal: Principal.system(NAME, organizationId), log };
    const serviceIds = reported.map(({ service_id: id }) => id);
    const services = await meteredServices(graph, request, serviceIds);
    const used = reported.flatMap(({ service_id: serviceId, metric, quantity, from, source: id }) => {
      const service = services.get(serviceId);
      if (!service) log.warn({ service: serviceId }, 'usage of a service that does not exist is ignored');
      const measured = { source: MEASURED_SOURCE, id, metric, quantity: new Decimal(quantity).toDecimalPlaces(DIGITS) };
      return service ? [{ ...measured, service, occurredAt: new Date(from) }] : [];
    });
    await store.write(organizationId, used, clock.now());
  };
  return { name: NAME, on: 'usage.recorded', handle: (event) => handleTogether([event]), handleTogether };
}
