import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServiceStatus } from '../../subgraphs/services/inventory/service.states.ts';
import type { ObservedLink } from '../../subgraphs/services/providers/service.provider.ts';
import { ScriptedProvider, ServicesAlone } from '../services-alone.ts';
import type { Json } from '../tenant.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const RECORD = `query($id: ID!) {
  serviceStatus(id: $id) { status uptimePercentage lastIncident performanceMetrics { latencyMs } healthChecks { connectivity performance security } }
}`;

let alone: ServicesAlone;
let provider: ScriptedProvider;
let id: string;
beforeEach(async () => {
  alone = await ServicesAlone.open();
  provider = new ScriptedProvider(async () => ({ state: 'completed', reference: 'line-1' }));
  id = await alone.ordered();
  await alone.provision(id, provider);
});
afterEach(() => alone[Symbol.asyncDispose]());

const record = async (): Promise<Json> => (await alone.query(alone.subgraph(provider), RECORD, { id })).serviceStatus;

async function outage(ms: number): Promise<Date> {
  await alone.move(id, ServiceStatus.DOWN);
  const began = alone.clock.now();
  alone.clock.advance(ms);
  await alone.move(id, ServiceStatus.OPERATIONAL);
  return began;
}

test('a service that was down for one of four hours has an uptime of 75 percent, and is unhealthy while it is down', async () => {
  alone.clock.advance(2 * HOUR_MS);
  const began = await outage(HOUR_MS);
  alone.clock.advance(HOUR_MS);
  const { uptimePercentage, lastIncident } = await record();
  expect(uptimePercentage).toBeCloseTo(75, 1);
  expect(Date.parse(lastIncident) - began.getTime()).toBeLessThan(1000);

  await alone.move(id, ServiceStatus.DOWN);
  expect(await record()).toMatchObject({ status: 'DOWN', healthChecks: { connectivity: 'UNHEALTHY' } });
});

test('an incident older than 30 days does not reduce the uptime of a service, but is still its last incident', async () => {
  await outage(DAY_MS);
  alone.clock.advance(31 * DAY_MS);
  expect(await record()).toMatchObject({ uptimePercentage: 100, lastIncident: expect.any(String) });
});

test('an incident that began more than 30 days ago reduces the uptime only for its duration in the last 30 days', async () => {
  await alone.move(id, ServiceStatus.DOWN);
  alone.clock.advance(30 * DAY_MS);
  await alone.move(id, ServiceStatus.OPERATIONAL);
  alone.clock.advance(15 * DAY_MS);
  expect((await record()).uptimePercentage).toBeCloseTo(50, 1);
});

/** Makes the provider report these values for the service, and moves the clock to the next measurement. */
async function measure(link: Partial<ObservedLink> = {}): Promise<void> {
  const measuredAt = alone.clock.now();
  const good = { siteId: null, isUp: true, latencyMs: 5, bandwidthUtilization: 10, packetLoss: 0, jitterMs: 1, securityIncidents: 0 };
  provider.measured = async () => ({ measuredAt, links: [{ ...good, ...link }], transferredBytes: null, counter: null });
  await alone.measure(provider);
  alone.clock.advance(60_000);
}

test('a high latency makes the performance check of a service unhealthy, and a security incident sets the security check to degraded', async () => {
  await measure({ latencyMs: 400, securityIncidents: 1 });
  expect(await record()).toMatchObject({
    performanceMetrics: { latencyMs: 400 },
    healthChecks: { connectivity: 'HEALTHY', performance: 'UNHEALTHY', security: 'DEGRADED' },
  });
});

test('if the provider does not respond, the measurements of a service are null and the status is still returned', async () => {
  provider.measured = () => Promise.reject(new Error('connect ECONNREFUSED'));
  await alone.measure(provider);
  expect(await record()).toMatchObject({
    status: 'OPERATIONAL',
    performanceMetrics: { latencyMs: null },
    healthChecks: { connectivity: 'HEALTHY', performance: 'UNKNOWN', security: 'UNKNOWN' },
  });
});
