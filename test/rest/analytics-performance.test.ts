import { beforeAll, expect, test } from 'vitest';
import { DAY_MS } from '../../kernel/values/days.ts';
import { dayAgo, readAnalytics } from '../analytics.setup.ts';
import { type BilledTenant, billedTenant } from '../billing.setup.ts';
import { openIncident } from '../incidents.setup.ts';
import { clock, eventually } from '../rig.ts';
import { minutesPass } from '../services.setup.ts';
import { onlyTable, rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

let billed: BilledTenant;
beforeAll(async () => {
  billed = await billedTenant();
  await eventually(async () => (await billed.tenant.rest('GET', `/services/${billed.serviceId}`)).body.data.status === 'operational');
});

/** Stores latencies of a service within 20 seconds before its newest measurement. */
async function latencies({ tenant }: BilledTenant, values: readonly number[]): Promise<void> {
  await (await rows()).query(
    `with newest as (
       select s.id, max(x.at) as at from monitoring.sample x join monitoring.series s on s.id = x.series_id join monitoring.metric m on m.id = s.metric_id
       where s.organization_id = $1 and m.name = 'latency_ms' group by 1
     )
     insert into monitoring.sample (series_id, at, value)
       select id, at - n * interval '100 milliseconds', value from newest, unnest($2::float8[]) with ordinality as v(value, n)`,
    [tenant.organizationId, values],
  );
}

test('the availability is that of the history of the status, in all and for each day', async () => {
  const own = await billedTenant();
  await eventually(async () => (await own.tenant.rest('GET', `/services/${own.serviceId}`)).body.data.status === 'operational');
  const database = await rows();
  const start = Date.parse(`${dayAgo(20)}T00:00:00Z`);
  const at = (days: number): string => new Date(start + days * DAY_MS).toISOString();
  await (await onlyTable('services.service')).set('provisioned_at', at(1.5), 'id', own.serviceId);
  await database.query('delete from services.service_status_change where service_id = $1', [own.serviceId]);
  const changes: [string | null, string, number][] = [
    [null, 'pending', 0],
    ['pending', 'operational', 1.5],
    ['operational', 'down', 3.25],
    ['down', 'maintenance', 3.75],
    ['maintenance', 'degraded', 5.5],
    ['degraded', 'down', 6.9],
    ['down', 'operational', 8.1],
  ];
  for (const [index, [from, to, days]] of changes.entries())
    await database.query(
      `insert into services.service_status_change (id, organization_id, service_id, "from", "to", reason, created_at) values ($1, $2, $3, $4, $5, 'test', $6)`,
      [`chg_TEST${own.serviceId.slice(-8)}${index}`, own.tenant.organizationId, own.serviceId, from, to, at(days)],
    );
  // an independent model: each tenth of a minute is up, down or neither
  const statusAt = (days: number): string => changes.findLast(([, , since]) => since <= days)?.[1] ?? 'pending';
  const shareOf = (first: number, last: number): number | null => {
    const steps = Array.from({ length: Math.round((last - first) * 1440) }, (_, n) => statusAt(first + (n + 0.5) / 1440));
    const [up, down] = [
      steps.filter((one) => ['operational', 'degraded'].includes(one)).length,
      steps.filter((one) => one === 'down').length,
    ];
    return up + down === 0 ? null : Number(((100 * up) / (up + down)).toFixed(3));
  };
  const query = { date_range: `${dayAgo(18)}..${dayAgo(12)}`, service_ids: own.serviceId };
  const { availability } = await readAnalytics(own.tenant, 'performance', query);
  expect(availability).toMatchObject({
    ...{ uptime_percentage: shareOf(2, 9), uptime_percentage_before: 100, service_count: 1 },
    downtime_seconds: Math.round((0.5 + 1.2) * 86_400),
    services: [{ service_id: own.serviceId, uptime_percentage: shareOf(2, 9), downtime_seconds: Math.round(1.7 * 86_400) }],
  });
  const trend = (await readAnalytics(own.tenant, 'trends', { date_range: `${dayAgo(20)}..${dayAgo(8)}` })).availability;
  expect(trend.values).toEqual(Array.from({ length: 13 }, (_, n) => ({ date: dayAgo(20 - n), value: shareOf(n, n + 1) })));
  expect(trend.values.filter(({ value }: Json) => value === null)).toHaveLength(2);
  // the status changes after the end of this period
  const early = (await readAnalytics(own.tenant, 'performance', { date_range: `${dayAgo(18)}..${dayAgo(15)}` })).availability;
  expect(early.uptime_percentage).toBe(shareOf(2, 6));
  const all = (await readAnalytics(own.tenant, 'performance', { date_range: '1d' })).availability;
  expect(all).toMatchObject({ uptime_percentage: 100, uptime_percentage_before: 100, downtime_seconds: 0 });
});

test('the latency is that of the samples, in all and for each service', async () => {
  await minutesPass(1, billed.tenant, billed.serviceId);
  await eventually(async () => (await readAnalytics(billed.tenant, 'performance')).quality.services.length === 1);
  const values = Array.from({ length: 200 }, (_, n) => 1000 + n);
  await latencies(billed, values);
  await recomputed(billed.tenant);
  // a measurement of the service can be stored at any time
  const { quality, stored } = await eventually(async () => {
    const found = await readAnalytics(billed.tenant, 'performance', { date_range: '2d' });
    const [row] = await (await rows()).query<{ values: number[] }>(
      `select array_agg(x.value order by x.value) as values from monitoring.sample x join monitoring.series s on s.id = x.series_id
       join monitoring.metric m on m.id = s.metric_id where s.organization_id = $1 and m.name = 'latency_ms'`,
      [billed.tenant.organizationId],
    );
    const all = row?.values ?? [];
    return Math.abs(found.quality.latency_average_ms - average(all)) < 0.001 && { quality: found.quality, stored: all };
  });
  expect(stored.length).toBeGreaterThan(values.length);
  const rank = (percent: number): number => stored[Math.ceil((percent / 100) * stored.length) - 1] ?? 0;
  const near = (found: number, exact: number): void => expect(Math.abs(found - exact) / exact).toBeLessThanOrEqual(0.0101);
  near(quality.latency_p50_ms, rank(50));
  near(quality.latency_p95_ms, rank(95));
  near(quality.latency_p99_ms, rank(99));
  expect(quality.services).toMatchObject([{ service_id: billed.serviceId, latency_p95_ms: quality.latency_p95_ms }]);
  expect(quality.before.latency_average_ms).toBeNull();
});

test('incidents and tickets are counted in the period in which they began', async () => {
  const { tenant, serviceId } = billed;
  const [one, two, other] = [
    await openIncident(tenant, { severity: 'major', service_ids: [serviceId] }),
    await openIncident(tenant, { severity: 'minor', service_ids: [serviceId] }),
    await openIncident(tenant, { severity: 'critical' }),
  ];
  const incident = await onlyTable('monitoring.incident');
  const now = clock.now().getTime();
  const at = (days: number, seconds = 0): string => new Date(now - days * DAY_MS + seconds * 1000).toISOString();
  for (const [{ id }, began, identified, resolved] of [
    [one, 3, 120, 600],
    [two, 4, null, 1200],
    [other, 9, 60, null],
  ] as const) {
    await incident.set('started_at', at(began), 'id', id);
    await incident.set('identified_at', identified === null ? null : at(began, identified), 'id', id);
    await incident.set('resolved_at', resolved === null ? null : at(began, resolved), 'id', id);
  }
  const ticket = await onlyTable('support.ticket');
  for (const [days, more] of [
    [2, { service_affected: serviceId }],
    [3, { service_affected: serviceId }],
    [3, {}],
    [8, { service_affected: serviceId }],
  ] as const) {
    const body = { title: 'Down', description: 'No light', ...more };
    const { id } = (await tenant.rest('POST', '/support/tickets', { body })).body.ticket;
    await ticket.set('created_at', at(days), 'id', id);
    if (days === 3) await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status: 'resolved' } });
    if (days === 3) await ticket.set('resolved_at', at(3, 7200), 'id', id);
  }
  const all = await readAnalytics(tenant, 'performance', { date_range: '7d' });
  expect(all.incidents).toEqual({
    ...{ opened: 2, resolved: 2, minor: 1, major: 1, critical: 0, mean_seconds_to_identify: 120, mean_seconds_to_resolve: 900 },
    before: { opened: 1, resolved: 0, minor: 0, major: 0, critical: 1, mean_seconds_to_identify: 60, mean_seconds_to_resolve: null },
  });
  expect(all.tickets).toMatchObject({ opened: 3, resolved: 2, average_resolution_hours: 2, before: { opened: 1, resolved: 0 } });
  const ofService = await readAnalytics(tenant, 'performance', { date_range: '7d', service_ids: serviceId });
  expect([ofService.incidents.opened, ofService.incidents.before.opened, ofService.tickets.opened]).toEqual([2, 0, 2]);
  const { tickets } = await readAnalytics(tenant, 'trends', { date_range: '10d' });
  const counts = new Map<string, number>(
    [2, 3, 3, 8].map((days) => [days]).reduce((sums, [ago = 0]) => sums.set(dayAgo(ago), (sums.get(dayAgo(ago)) ?? 0) + 1), new Map()),
  );
  expect(tickets.values).toEqual(Array.from({ length: 9 }, (_, n) => ({ date: dayAgo(9 - n), value: counts.get(dayAgo(9 - n)) ?? 0 })));
});

const average = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0) / values.length;

/** Lets the rollups of all minutes with samples be computed again. */
async function recomputed({ organizationId }: Tenant): Promise<void> {
  await (await rows()).query(
    `insert into monitoring.late_minute (series_id, at)
       select distinct x.series_id, date_trunc('minute', x.at) from monitoring.sample x join monitoring.series s on s.id = x.series_id
       where s.organization_id = $1`,
    [organizationId],
  );
}
