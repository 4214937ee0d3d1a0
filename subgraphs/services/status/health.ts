import { registerEnumType } from 'type-graphql';
import { ServiceStatus } from '../inventory/service.states.ts';
import type { Telemetry } from '../providers/connectivity.provider.ts';

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

/**
 * Limits of each measurement. If a value is above the first limit, the line is degraded. If it is above the second
 * limit, the line is unhealthy.
 */
const LIMITS = {
  latencyMs: [100, 300],
  packetLoss: [1, 5],
  jitterMs: [30, 100],
  bandwidthUtilization: [95, 100],
} as const;

const BY_STATUS: Partial<Record<ServiceStatus, Health>> = {
  [ServiceStatus.OPERATIONAL]: Health.HEALTHY,
  [ServiceStatus.DEGRADED]: Health.DEGRADED,
  [ServiceStatus.DOWN]: Health.UNHEALTHY,
};

/**
 * Derives the health checks of a service: connectivity from its status, performance and security from its measurements.
 * The result of a check that has no data is `unknown`.
 */
export const healthOf = (status: ServiceStatus, telemetry: Telemetry | null): HealthChecks => ({
  connectivity: BY_STATUS[status] ?? Health.UNKNOWN,
  performance: telemetry ? performanceOf(telemetry) : Health.UNKNOWN,
  security: telemetry ? securityOf(telemetry) : Health.UNKNOWN,
});

function performanceOf(telemetry: Telemetry): Health {
  const limits = Object.entries(LIMITS) as [keyof typeof LIMITS, readonly [number, number]][];
  if (limits.some(([name, [, unhealthy]]) => telemetry[name] > unhealthy)) return Health.UNHEALTHY;
  return limits.some(([name, [degraded]]) => telemetry[name] > degraded) ? Health.DEGRADED : Health.HEALTHY;
}

const securityOf = ({ securityIncidents }: Telemetry): Health => (securityIncidents > 0 ? Health.DEGRADED : Health.HEALTHY);
