import { registerEnumType } from 'type-graphql';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { exceeds, METRICS, RECENT_MS, type Sample } from '../samples/sample.ts';
import { excessOf } from './observed-status.ts';

export enum Health {
  HEALTHY = 'healthy',
  DEGRADED = 'degraded',
  UNHEALTHY = 'unhealthy',
  UNKNOWN = 'unknown',
}
registerEnumType(Health, {
  name: 'Health',
  description: 'Result of a health check.',
  valuesConfig: {
    HEALTHY: { description: 'No problem found.' },
    DEGRADED: { description: 'Working with reduced quality.' },
    UNHEALTHY: { description: 'Failing.' },
    UNKNOWN: { description: 'There is no measurement.' },
  },
});

/** Results of the health checks of a service, one for each kind of check (specification 2.5). */
export interface HealthChecks {
  connectivity: Health;
  performance: Health;
  security: Health;
}

const BY_STATUS: Partial<Record<ServiceStatus, Health>> = {
  [ServiceStatus.OPERATIONAL]: Health.HEALTHY,
  [ServiceStatus.DEGRADED]: Health.DEGRADED,
  [ServiceStatus.DOWN]: Health.UNHEALTHY,
};

/**
 * Derives the health checks of a service: connectivity from its status, performance and security from its measurements.
 * The result of a check that has no data is `unknown`.
 */
export const healthOf = (status: ServiceStatus, sample: Sample | null): HealthChecks => ({
  connectivity: BY_STATUS[status] ?? Health.UNKNOWN,
  performance: sample ? performanceOf(sample) : Health.UNKNOWN,
  security: sample ? securityOf(sample) : Health.UNKNOWN,
});

function performanceOf(sample: Sample): Health {
  if (METRICS.every((metric) => sample[metric] === null)) return Health.UNKNOWN;
  if (METRICS.some((metric) => exceeds(sample, metric, 1))) return Health.UNHEALTHY;
  return METRICS.some((metric) => exceeds(sample, metric)) ? Health.DEGRADED : Health.HEALTHY;
}

const securityOf = ({ securityIncidents }: Sample): Health => (securityIncidents > 0 ? Health.DEGRADED : Health.HEALTHY);

/** The result of one health check, and the reason if it is not healthy. */
export interface Check {
  name: keyof HealthChecks;
  status: Health;
  checkedAt: Date | null;
  reason: string | null;
}

/** Returns the health checks of a service with their reasons. */
export function checksOf(
  { status, statusReason }: { status: ServiceStatus; statusReason: string | null },
  checks: HealthChecks,
  sample: Sample | null,
): Check[] {
  const unmeasured = `There is no measurement of the last ${RECENT_MS / MINUTE_MS} minutes.`;
  const incidents = sample?.securityIncidents ?? 0;
  const reasons: Record<keyof HealthChecks, string> = {
    connectivity: statusReason ?? `The service is ${status}.`,
    performance: sample ? (excessOf(sample) ?? 'The connection is down.') : unmeasured,
    security: sample ? `The provider reports ${incidents} open security ${incidents === 1 ? 'incident' : 'incidents'}.` : unmeasured,
  };
  return (['connectivity', 'performance', 'security'] as const).map((name) => ({
    name,
    status: checks[name],
    checkedAt: sample?.at ?? null,
    reason: checks[name] === Health.HEALTHY ? null : reasons[name],
  }));
}
