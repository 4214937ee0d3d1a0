import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { chart } from '../metrics.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { minutesPass, serviceThatIs, settledRecord, tenantWithAccount } from '../services.setup.ts';
import { rows } from '../support/tables.ts';
import { type Json, Tenant } from '../tenant.ts';

const MINUTE_MS = 60_000;
const NAMES = ['bandwidth_utilization', 'jitter_ms', 'latency_ms', 'packet_loss', 'security_incidents', 'transferred_bytes', 'up'];

let platform: Rig;
let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  platform = await rig();
  ({ tenant, accountId } = await tenantWithAccount());
});

const metricsOf = async (by: Tenant, query: Record<string, string> = {}): Promise<Json[]> =>
  (await by.rest('GET', `/monitoring/metrics?${new URLSearchParams({ ...query, per_page: '100' })}`)).body.data;

/** Returns the values of a metric of a service, oldest first. */
async function valuesOf(serviceId: string, metric: string): Promise<{ at: Date; value: number }[]> {
  const found = await (await rows()).query<{ at: string; value: number }>(
    `select x."at", x."value" from "monitoring"."sample" x join "monitoring"."series" s on s."id" = x."series_id"
     join "monitoring"."metric" m on m."id" = s."metric_id" where s."service_id" = $1 and m."name" = $2 order by x."at"`,
    [serviceId, metric],
  );
  return found.map(({ at, value }) => ({ at: new Date(at), value }));
}

/** Returns the measurements of a service as a whole, oldest first. */
async function measured(serviceId: string): Promise<Json[]> {
  const found = await (await rows()).query<Json>(
    `select "at", "state", "latency_ms", "transferred_bytes"::float8 as "bytes" from "services"."service_sample"
     where "service_id" = $1 and "site_id" = '' order by "at"`,
    [serviceId],
  );
  return found.map(({ at, ...values }) => ({ at: new Date(at), ...values }));
}

describe('the measurements of services as metrics', () => {
  test('each measurement of the platform is stored once, with the same value, as a sample in a series of its service', async () => {
    const { id } = await serviceThatIs('operational', tenant, accountId);
    await minutesPass(4, tenant, id);
    const names = await eventually(async () => {
      const metrics = await metricsOf(tenant, { service_id: id });
      return metrics.length === NAMES.length && metrics.map(({ name }) => name);
    });
    expect(names).toEqual(NAMES);
    const expected = await measured(id);
    expect(expected.length).toBeGreaterThanOrEqual(4);
    await eventually(async () => (await valuesOf(id, 'up')).length === expected.length);
    expect(await valuesOf(id, 'latency_ms')).toEqual(expected.map(({ at, latency_ms: value }) => ({ at, value })));
    const transferred = expected.filter(({ bytes }) => bytes !== null);
    expect(await valuesOf(id, 'transferred_bytes')).toEqual(transferred.map(({ at, bytes: value }) => ({ at, value })));
    expect(await valuesOf(id, 'up')).toEqual(expected.map(({ at }) => ({ at, value: 1 })));
    const inAll = async (metric: string, aggregation: string, total: number): Promise<Json> =>
      eventually(async () => {
        const found = await chart(tenant, metric, { service_id: id, period: '24h', aggregation });
        const values: (number | null)[] = found.series.flatMap((one: Json) => one.values);
        return values.reduce<number>((sum, value) => sum + (value ?? 0), 0) === total && found;
      });
    expect(await inAll('latency_ms', 'count', expected.length)).toMatchObject({ type: 'gauge', unit: 'ms' });
    const bytes = transferred.reduce<number>((sum, one) => sum + one.bytes, 0);
    expect(await inAll('transferred_bytes', 'increase', bytes)).toMatchObject({ type: 'counter', unit: 'By' });
  });

  test('a service without a connection has a sample that says that it is not up', async () => {
    const { id } = await serviceThatIs('operational', tenant, accountId, { name: 'Office SIM-DOWN' });
    await minutesPass(2, tenant, id);
    const expected = await measured(id);
    await eventually(async () => (await valuesOf(id, 'up')).length === expected.length);
    expect(await valuesOf(id, 'up')).toEqual(expected.map(({ at }) => ({ at, value: 0 })));
    expect(await valuesOf(id, 'latency_ms')).toEqual([]);
  });

  test('each site of a network has separate series, which a chart of the network does not include', async () => {
    const body = {
      ...{ network_type: 'mpls', topology: 'hub_and_spoke', bandwidth: '500mbps', account_id: accountId },
      locations: [
        { id: 'hq', address: '1 Main Street', role: 'hub' },
        { id: 'one', address: '2 Main Street', role: 'spoke' },
      ],
    };
    const { data } = (await tenant.rest('POST', '/connectivity/networks', { body })).body;
    const read = async (): Promise<Json> => (await tenant.rest('GET', `/services/${data.id}`)).body.data;
    await settledRecord(read, ({ status }) => status === 'operational');
    await minutesPass(2, tenant, data.id);
    const sites = await eventually(async () => {
      const found = await chart(tenant, 'site_up', { service_id: data.id, group_by: 'site' });
      return found.series?.length === 2 && found.series;
    });
    expect(sites.map(({ labels }: Json) => labels.site).toSorted()).toEqual(['hq', 'one']);
    const whole = await eventually(async () => {
      const found = await chart(tenant, 'up', { service_id: data.id, group_by: 'site' });
      return found.series?.length > 0 && found.series;
    });
    expect(whole.map(({ labels }: Json) => labels)).toEqual([{}]);
  });

  test('callers cannot send samples of metrics that the platform measures, not even without a service and with labels of their own', async () => {
    const other = await platform.organization();
    const samples = ['latency_ms', 'up', 'site_packet_loss', 'transferred_bytes', 'latency'].map((metric) => ({
      ...{ metric, value: 1, labels: { host: 'a' } },
      at: platform.clock.now(),
    }));
    const { status, body } = await other.rest('POST', '/monitoring/samples', { body: { samples } });
    expect([status, body.data.accepted]).toEqual([200, 1]);
    expect(body.data.refused.map(({ index, code }: Json) => [index, code])).toEqual(
      [0, 1, 2, 3].map((index) => [index, 'reserved_metric']),
    );
    expect((await metricsOf(other)).map(({ name }) => name)).toEqual(['latency']);
  });

  test('series that the platform measures do not count towards the number of series that the plan allows', async () => {
    const by = await platform.organization({ plan: 'developer' });
    const { id } = await serviceThatIs('operational', by, (await createAccount(by)).id);
    await platform.advance(MINUTE_MS);
    await eventually(async () => (await metricsOf(by, { service_id: id })).length > 0);
    const samples = Array.from({ length: 1001 }, (_, n) => ({
      metric: 'load',
      labels: { n: String(n) },
      at: platform.clock.now(),
      value: n,
    }));
    const { body } = await by.rest('POST', '/monitoring/samples', { body: { samples } });
    expect([body.data.accepted, body.data.refused_total]).toEqual([1000, 1]);
  });

  test('a caller who is limited to accounts sees only measurements of services of these accounts', async () => {
    const { id } = await serviceThatIs('operational', tenant, accountId);
    const { id: otherId } = await serviceThatIs('operational', tenant, (await createAccount(tenant, 'Other')).id);
    await platform.advance(MINUTE_MS);
    await eventually(async () => (await valuesOf(id, 'up')).length > 0 && (await valuesOf(otherId, 'up')).length > 0);
    const { body } = await tenant.rest('POST', '/auth/api-keys', {
      body: { name: 'limited', permissions: ['monitoring:read'], accounts: [accountId] },
    });
    const limited = new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
    expect(await metricsOf(limited, { service_id: otherId })).toEqual([]);
    const { series } = await chart(limited, 'up', { group_by: 'service_id' });
    expect(series.map(({ service_id }: Json) => service_id)).toContain(id);
    expect(series.map(({ service_id }: Json) => service_id)).not.toContain(otherId);
  });
});
