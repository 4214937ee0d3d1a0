import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { eventually, rig } from '../rig.ts';
import { minutesPass, serviceThatIs, settledRecord, tenantWithAccount } from '../services.setup.ts';
import { onlyTable } from '../support/tables.ts';
import { type Json, Tenant } from '../tenant.ts';

const MINUTE_MS = 60_000;

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const line = (name: string): Promise<Json> => serviceThatIs('operational', tenant, accountId, { name });
const rename = (id: string, name: string) => tenant.rest('PUT', `/services/${id}`, { body: { name } });
const statusOf = async (id: string): Promise<Json> => (await tenant.rest('GET', `/services/${id}/status`)).body.data;
const minutePasses = (id: string): Promise<Json> => minutesPass(1, tenant, id);
const until = (id: string, status: string): Promise<Json> =>
  eventually(async () => {
    const record = await statusOf(id);
    return record.status === status && record;
  });
const eventsOf = async (id: string, pattern: string): Promise<Json[]> => {
  const query = `query ($id: ID!, $event: [String!]) { events(filter: { subjectId: [$id], event: $event }) { nodes { event payload } } }`;
  const { data } = await tenant.graphql(query, { id, event: [pattern] });
  return data.events.nodes
    .map(({ event, payload }: Json) => ({ event, ...(typeof payload === 'string' ? JSON.parse(payload) : payload).data }))
    .reverse();
};

describe('the status that measurements show', () => {
  test('a service is down after two minutes without connection, restored after three with connection, and sends both events', async () => {
    const { id } = await line('Headquarters');
    await minutePasses(id);
    await rename(id, 'Headquarters SIM-DOWN');
    await minutePasses(id);
    expect(await statusOf(id)).toMatchObject({ status: 'operational', performance_metrics: { packet_loss: 100, latency_ms: null } });
    await minutePasses(id);
    expect(await until(id, 'down')).toMatchObject({ health_checks: { connectivity: 'unhealthy' }, last_incident: expect.any(String) });
    expect((await tenant.rest('GET', `/services/${id}`)).body.data.status_reason).toBe('The connection is down.');
    await rename(id, 'Headquarters');
    for (const _ of [1, 2]) expect((await minutePasses(id)).status).toBe('down');
    await minutePasses(id);
    await until(id, 'operational');
    const events = await eventually(async () => {
      const found = [...(await eventsOf(id, 'service.down')), ...(await eventsOf(id, 'service.restored'))];
      return found.length === 2 && found;
    });
    expect(events).toMatchObject([
      {
        event: 'service.down',
        changes: { status: { from: 'operational', to: 'down' } },
        outage: { ended_at: null, reason: 'The connection is down.' },
      },
      {
        event: 'service.restored',
        changes: { status: { from: 'down', to: 'operational' } },
        outage: { started_at: events[0]?.outage.started_at },
      },
    ]);
    expect(Date.parse(events[1]?.outage.ended_at) - Date.parse(events[1]?.outage.started_at)).toBeGreaterThanOrEqual(3 * MINUTE_MS);
  });

  test('a slow line is degraded with the reason, and one event service.performance_alert is sent', async () => {
    const { id } = await line('Branch SIM-DEGRADED');
    for (const _ of [1, 2, 3]) await minutePasses(id);
    expect(await until(id, 'degraded')).toMatchObject({ health_checks: { connectivity: 'degraded', performance: 'degraded' } });
    expect((await tenant.rest('GET', `/services/${id}`)).body.data.status_reason).toMatch(/^latency_ms is 1\d\d(\.\d)?, above 100\.$/);
    const alerts = await eventually(async () => {
      const found = await eventsOf(id, 'service.performance_alert');
      return found.length > 0 && found;
    });
    expect(alerts).toMatchObject([{ alert: { metric: 'latency_ms', threshold: 100 }, service: { id } }]);
    expect(alerts[0]?.alert.value).toBe(alerts[0]?.performance_metrics.latency_ms);
  });

  test('a service whose provider sends no measurements keeps its status, and its measurements are unknown after five minutes', async () => {
    const { id } = await line('Quiet');
    await minutePasses(id);
    await rename(id, 'Quiet SIM-SILENT');
    await (await rig()).advance(6 * MINUTE_MS);
    expect(await statusOf(id)).toMatchObject({
      status: 'operational',
      performance_metrics: { latency_ms: null, measured_at: null },
      health_checks: { connectivity: 'healthy', performance: 'unknown', security: 'unknown' },
    });
  });

  test('a service with a security incident has a degraded security check, and stays operational', async () => {
    const { id } = await line('Office SIM-INCIDENT');
    for (const _ of [1, 2, 3]) await minutePasses(id);
    expect(await statusOf(id)).toMatchObject({ status: 'operational', health_checks: { security: 'degraded', performance: 'healthy' } });
  });

  test('a network is degraded if a spoke is down, and down if its only hub is down', async () => {
    const deploy = async (hub: string, spoke: string): Promise<string> => {
      const body = {
        ...{ network_type: 'mpls', topology: 'hub_and_spoke', bandwidth: '500mbps', account_id: accountId },
        locations: [
          { id: 'hq', address: hub, role: 'hub' },
          { id: 'one', address: spoke, role: 'spoke' },
          { id: 'two', address: '2 Main Street', role: 'spoke' },
        ],
      };
      const { data } = (await tenant.rest('POST', '/connectivity/networks', { body })).body;
      const read = async (): Promise<Json> => (await tenant.rest('GET', `/services/${data.id}`)).body.data;
      await settledRecord(read, ({ status }) => status === 'operational');
      return data.id;
    };
    const [spokeDown, hubDown] = [await deploy('1 Main Street', '7 SIM-DOWN Street'), await deploy('1 SIM-DOWN Street', '7 Main Street')];
    for (const _ of [1, 2, 3]) await minutePasses(spokeDown);
    await until(spokeDown, 'degraded');
    expect((await tenant.rest('GET', `/services/${spokeDown}`)).body.data.status_reason).toBe('A site does not work.');
    expect((await statusOf(spokeDown)).sites).toMatchObject([
      { site_id: 'hq', state: 'up', latency_ms: expect.any(Number) },
      { site_id: 'one', state: 'down', latency_ms: null, packet_loss: 100 },
      { site_id: 'two', state: 'up', measured_at: expect.any(String) },
    ]);
    await until(hubDown, 'down');
  });

  test('measurements do not change the status of a service in maintenance until the maintenance ends', async () => {
    const { id } = await line('Planned');
    await minutePasses(id);
    const start = new Date((await rig()).clock.now().getTime() + 60 * MINUTE_MS).toISOString();
    const body = { scaling_action: 'scale_up', new_bandwidth: '2000mbps', maintenance_window: { start, duration: '10_minutes' } };
    expect((await tenant.rest('PUT', `/services/${id}/scaling`, { body })).status).toBe(200);
    await (await rig()).advance(60 * MINUTE_MS);
    await until(id, 'maintenance');
    // names cannot be changed during maintenance, so the carrier fails for another reason
    await (await onlyTable('services.service')).set('name', 'Planned SIM-DOWN', 'id', id);
    for (const _ of [1, 2, 3, 4]) await minutePasses(id);
    expect((await statusOf(id)).status).toBe('maintenance');
    for (const _ of [5, 6, 7, 8, 9]) await minutePasses(id);
    await (await rig()).advance(MINUTE_MS);
    await until(id, 'down');
    const { data } = await tenant.graphql('query ($id: ID!) { service(id: $id) { statusHistory { from to } } }', { id });
    expect(data.service.statusHistory[0]).toEqual({ from: 'MAINTENANCE', to: 'DOWN' });
  });
});

describe('GET /services/{id}/metrics, /health and /analytics', () => {
  test('metrics contain all fields of GET /services/{id}/status, a summary and a time series', async () => {
    const { id } = await line('Measured');
    for (const _ of [1, 2, 3]) await minutePasses(id);
    const record = await statusOf(id);
    const { status, body } = await tenant.rest('GET', `/services/${id}/metrics?period=last_hour`);
    expect([status, body.data]).toMatchObject([200, { ...record, period: 'last_hour', interval_seconds: 60 }]);
    expect(body.data.summary.samples).toBeGreaterThanOrEqual(3);
    expect(body.data.summary.latency_ms).toMatchObject({ min: expect.any(Number), p95: expect.any(Number) });
    expect(body.data.series.length).toBeGreaterThanOrEqual(60);
    expect(body.data.series.filter(({ latency_ms }: Json) => latency_ms !== null)).toHaveLength(body.data.summary.samples);
  });

  test('metrics with a site_id contain only measurements of this site of the network, and an unknown site_id is an error', async () => {
    const locations = [
      { id: 'one', address: '1 SIM-DEGRADED Street' },
      { id: 'two', address: '2 Main Street' },
    ];
    const body = { network_type: 'mpls', topology: 'point_to_point', bandwidth: '500mbps', account_id: accountId, locations };
    const { id } = (await tenant.rest('POST', '/connectivity/networks', { body })).body.data;
    await until(id, 'operational');
    await minutePasses(id);
    const metrics = async (query: string): Promise<Json> =>
      (await tenant.rest('GET', `/services/${id}/metrics?period=last_hour${query}`)).body;
    const [whole, one, two] = [await metrics(''), await metrics('&site_id=one'), await metrics('&site_id=two')];
    expect(one.data.summary.latency_ms.max).toBeGreaterThan(100);
    expect(two.data.summary.latency_ms.max).toBeLessThan(100);
    expect(whole.data.summary.latency_ms.max).toBe(one.data.summary.latency_ms.max);
    expect((await metrics('&site_id=three')).error.details.errors).toMatchObject([
      { field: 'site_id', reason: 'is not a site of the service' },
    ]);
  });

  test.each([
    ['period=yesterday', 'period'],
    ['from=2020-01-01T00:00:00Z', 'to'],
    ['from=2099-01-01T00:00:00Z', 'from'],
    ['to=2026-01-01T00:00:00Z', 'from'],
    ['from=2026-01-01T00:00:00Z&to=2025-12-01T00:00:00Z', 'to'],
    ['from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&period=last_hour', 'period'],
    ['site_id=loc_1', 'site_id'],
    ['window=1h', 'window'],
  ])('metrics with %s return 400 and name the parameter %s', async (query, field) => {
    const { id } = await line('Queried');
    const { status, body } = await tenant.rest('GET', `/services/${id}/metrics?${query}`);
    expect([status, body.error.details.errors.map((problem: Json) => problem.field)]).toEqual([400, [field]]);
  });

  test('health has a reason and a time for each check that is not healthy', async () => {
    const { id } = await line('Watched SIM-BUSY SIM-INCIDENT');
    for (const _ of [1, 2, 3]) await minutePasses(id);
    await until(id, 'degraded');
    const { data } = (await tenant.rest('GET', `/services/${id}/health`)).body;
    const checked_at = data.performance_metrics.measured_at;
    expect(data.checks).toEqual([
      { name: 'connectivity', status: 'degraded', checked_at, reason: 'bandwidth_utilization is 97, above 95.' },
      { name: 'performance', status: 'degraded', checked_at, reason: 'bandwidth_utilization is 97, above 95.' },
      { name: 'security', status: 'degraded', checked_at, reason: 'The provider reports 1 open security incident.' },
    ]);
    expect(data.health_checks).toEqual({ connectivity: 'degraded', performance: 'degraded', security: 'degraded' });
  });

  test('analytics contain usage with units, costs and trends', async () => {
    const { id } = await line('Analyzed');
    for (const _ of [1, 2, 3]) await minutePasses(id);
    const { status, body } = await tenant.rest('GET', `/services/${id}/analytics?period=last_24_hours`);
    expect([status, body.data]).toMatchObject([
      200,
      {
        period: 'last_24_hours',
        usage_metrics: {
          total_data_transferred: expect.stringMatching(/^[\d.]+ (GB|MB|TB)$/),
          peak_bandwidth_usage: expect.stringMatching(/^[\d.]+ Mbps$/),
          average_latency: expect.stringMatching(/^[\d.]+ ms$/),
          total_calls: null,
        },
        cost_analysis: { currency: 'USD', optimization_potential: expect.any(Number) },
        trends: { usage_growth: null },
      },
    ]);
  });

  test('metrics, health and analytics are hidden from other organizations, and return 403 without services:read', async () => {
    const { id } = await line('Private');
    const { tenant: stranger } = await tenantWithAccount();
    const limited = await tenant.limitedTo('billing:read');
    for (const path of ['metrics', 'health', 'analytics']) {
      expect((await stranger.rest('GET', `/services/${id}/${path}`)).status).toBe(404);
      expect((await limited.rest('GET', `/services/${id}/${path}`)).status).toBe(403);
    }
    expect((await limited.rest('GET', '/services/analytics/summary')).status).toBe(403);
    expect((await stranger.rest('GET', '/services/analytics/summary')).body.data).toMatchObject({ total_services: 0 });
    expect((await stranger.rest('GET', `/services/analytics/summary?account_id=${accountId}`)).body.data).toMatchObject({
      total_services: 0,
    });
  });

  test('the analytics summary of a caller who is limited to accounts contains only services of these accounts', async () => {
    const { tenant: owner, accountId: first } = await tenantWithAccount();
    const second = (await createAccount(owner)).id;
    await serviceThatIs('operational', owner, first);
    await serviceThatIs('operational', owner, second);
    const all = (await owner.rest('GET', '/services/analytics/summary')).body.data;
    const one = (await owner.rest('GET', `/services/analytics/summary?account_id=${first}`)).body.data;
    expect([all.total_services, one.total_services]).toEqual([2, 1]);
    expect(all.by_status).toEqual([{ status: 'operational', count: 2 }]);
    const key = { name: 'Limited', permissions: ['services:read'], accounts: [second] };
    const { api_key } = (await owner.rest('POST', '/auth/api-keys', { body: key })).body;
    const limited = new Tenant(owner.origin, owner.organizationId, api_key.key);
    expect((await limited.rest('GET', '/services/analytics/summary')).body.data.total_services).toBe(1);
    expect((await limited.rest('GET', `/services/analytics/summary?account_id=${first}`)).body.data.total_services).toBe(0);
  });
});
