import { expect, test } from 'vitest';
import { ServiceStatus } from '../inventory/service.states.ts';
import { Health, healthOf } from './health.ts';

const measured = { latencyMs: 5, bandwidthUtilization: 40, packetLoss: 0.01, jitterMs: 1, securityIncidents: 0, measuredAt: new Date(0) };

test('an operational service with good measurements has healthy connectivity, performance and security', () => {
  expect(healthOf(ServiceStatus.OPERATIONAL, measured)).toEqual({
    connectivity: Health.HEALTHY,
    performance: Health.HEALTHY,
    security: Health.HEALTHY,
  });
});

test.each([
  [{ latencyMs: 101 }, Health.DEGRADED],
  [{ packetLoss: 1.1 }, Health.DEGRADED],
  [{ bandwidthUtilization: 96 }, Health.DEGRADED],
  [{ latencyMs: 301 }, Health.UNHEALTHY],
  [{ jitterMs: 31, packetLoss: 6 }, Health.UNHEALTHY],
])('an operational service with the measurements %j has the performance %s', (worse, performance) => {
  expect(healthOf(ServiceStatus.OPERATIONAL, { ...measured, ...worse })).toMatchObject({ performance, connectivity: Health.HEALTHY });
});

test('a security incident degrades only the security of a service', () => {
  expect(healthOf(ServiceStatus.OPERATIONAL, { ...measured, securityIncidents: 2 })).toEqual({
    connectivity: Health.HEALTHY,
    performance: Health.HEALTHY,
    security: Health.DEGRADED,
  });
});

test('a service without measurements has unknown performance and security, and connectivity according to its status', () => {
  expect(healthOf(ServiceStatus.DOWN, null)).toEqual({
    connectivity: Health.UNHEALTHY,
    performance: Health.UNKNOWN,
    security: Health.UNKNOWN,
  });
  expect(healthOf(ServiceStatus.PENDING, null).connectivity).toBe(Health.UNKNOWN);
});
