import { DAY_MS, MINUTE_MS } from '../../../kernel/values/days.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { isMetric, METRICS } from '../usage-prices/usage-metric.states.ts';

/** Maximum number of events in a request. */
export const MAX_EVENTS = 1_000;
/** Number of days after which usage is too late to be billed. */
export const MAX_AGE_DAYS = 60;
/** Maximum time by which the clock of a metering system can be ahead. */
const AHEAD_MS = 5 * MINUTE_MS;
const MAX_QUANTITY = 1e12;

export const DEFAULT_SOURCE = 'api';
/** Value of `source` for usage that the platform measures itself. */
export const MEASURED_SOURCE = 'services';
/** Value of `source` for API requests of organizations beyond their plans. */
export const OVERAGE_SOURCE = 'platform';
const RESERVED = [MEASURED_SOURCE, OVERAGE_SOURCE];

const NAME = /^[!-~]{1,100}$/;

interface CheckedEvent {
  id: string;
  source?: string | null;
  serviceId: string;
  metric: string;
  quantity: Decimal;
  timestamp: Date;
}

/**
 * Returns the reason why a usage event cannot be recorded. Undefined if the event is valid. The reason starts with the REST name of the
 * field.
 */
export function eventProblem({ id, source, serviceId, metric, quantity, timestamp }: CheckedEvent, now: Date): string | undefined {
  if (!NAME.test(id)) return 'id must have 1 to 100 printable ASCII characters without spaces';
  if (source && !NAME.test(source)) return 'source must have 1 to 100 printable ASCII characters without spaces';
  if (source && RESERVED.includes(source)) return `source must not be ${source}, which the platform uses`;
  if (!/^svc_\w{1,100}$/.test(serviceId)) return 'service_id must be a service id (svc_…)';
  if (!isMetric(metric)) return `metric must be one of ${METRICS.join(', ')}`;
  if (quantity.isNegative() && !quantity.isZero()) return 'quantity must be at least 0';
  if (!quantity.lessThan(MAX_QUANTITY)) return `quantity must be less than ${MAX_QUANTITY}`;
  if (timestamp.getTime() > now.getTime() + AHEAD_MS) return 'timestamp must not be in the future';
  if (timestamp.getTime() < now.getTime() - MAX_AGE_DAYS * DAY_MS) return `timestamp must not be more than ${MAX_AGE_DAYS} days ago`;
  return undefined;
}
