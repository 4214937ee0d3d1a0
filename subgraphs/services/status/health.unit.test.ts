import { expect, test } from 'vitest';
import { ServiceStatus } from '../inventory/service.states.ts';
import { type Sample, SampleState } from '../samples/sample.ts';
import { Health, healthOf } from './health.ts';

const measured: Sample = {
  ...{ serviceId: 'svc_1', siteId: '', at: new Date(0), state: SampleState.UP, transferredBytes: null },
  ...{ latencyMs: 5, bandwidthUtilization: 40, packetLoss: 0.01, jitterMs: 1, securityIncidents: 0 },
};

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
])('the performance check of an operational service with the measurements %j is %s', (worse, performance) => {
  expect(healthOf(ServiceStatus.OPERATIONAL, { ...measured, ...worse })).toMatchObject({ performance, connectivity: Health.HEALTHY });
});

test('a security incident changes the security check to degraded, and does not change the other health checks', () => {
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
