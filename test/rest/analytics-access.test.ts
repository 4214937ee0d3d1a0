import { beforeAll, expect, test } from 'vitest';
import { dayAgo, getAnalytics, keyOfAccount, readAnalytics } from '../analytics.setup.ts';
import { type BilledTenant, billedTenant, createAccount, createInvoice, orderService } from '../billing.setup.ts';
import { openIncident } from '../incidents.setup.ts';
import { clock, eventually, type Rig, rig } from '../rig.ts';
import type { Json } from '../tenant.ts';

let platform: Rig;
let billed: BilledTenant;
beforeAll(async () => {
  platform = await rig();
  billed = await billedTenant();
  await eventually(async () => (await billed.tenant.rest('GET', `/services/${billed.serviceId}`)).body.data.status === 'operational');
});

test('an organization without data has figures that are null, zero or empty', async () => {
  const tenant = await platform.organization();
  const performance = await readAnalytics(tenant, 'performance');
  expect(performance).toMatchObject({
    ...{ account_id: null, service_ids: null, availability_target: 99.99 },
    availability: { uptime_percentage: null, uptime_percentage_before: null, downtime_seconds: 0, service_count: 0, services: [] },
    quality: { latency_p95_ms: null, services: [], before: { latency_average_ms: null } },
    incidents: { opened: 0, mean_seconds_to_resolve: null },
    tickets: { opened: 0, sla_compliance: null },
  });
  expect(await readAnalytics(tenant, 'trends')).toMatchObject({
    latency: { insufficient_data: true, forecast: [] },
    usage: [],
    cost: { insufficient_data: true },
  });
  expect(await readAnalytics(tenant, 'costs')).toMatchObject({ costs: { total: 0, by_service: [], current_month: { total: 0 } } });
});

test('callers without billing:read get no costs, and all other figures', async () => {
  const reader = await billed.tenant.limitedTo('analytics:read');
  const { status, body } = await getAnalytics(reader, 'costs');
  expect([status, body.error.code, body.error.details]).toMatchObject([403, 'INSUFFICIENT_PERMISSIONS', { required: 'billing:read' }]);
  // the permissions are checked before the parameters
  expect((await getAnalytics(reader, 'costs', { nothing: '1' })).status).toBe(403);
  expect((await getAnalytics(await billed.tenant.limitedTo('billing:read'), 'costs')).body.error.details.required).toBe('analytics:read');
  const trends = await readAnalytics(reader, 'trends');
  expect(trends.cost).toBeNull();
  expect(trends.tickets.values).toHaveLength(29);
  expect((await readAnalytics(billed.tenant, 'trends')).cost).toMatchObject({ name: 'cost', unit: 'USD' });
  const { data, errors } = await reader.graphql('{ analytics { usage { servicesTotal } costs { total } costTrend { name } } }');
  expect(data.analytics).toMatchObject({ usage: {}, costs: null, costTrend: null });
  expect(errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual([
    [['analytics', 'costs'], 'INSUFFICIENT_PERMISSIONS'],
    [['analytics', 'costTrend'], 'INSUFFICIENT_PERMISSIONS'],
  ]);
  for (const path of ['performance', 'usage', 'costs', 'trends'])
    expect((await getAnalytics(await billed.tenant.limitedTo('services:read'), path)).status).toBe(403);
});

test('the figures of an account or service contain no figures of others', async () => {
  const own = await billedTenant();
  const { tenant } = own;
  const accountId = (await createAccount(tenant)).id;
  const { service, firstInvoice } = await orderService(tenant, accountId);
  const serviceId = service.id;
  for (const [index, id] of [own.serviceId, serviceId, serviceId].entries()) {
    await openIncident(tenant, { service_ids: [id] });
    await tenant.rest('POST', '/support/tickets', { body: { title: 'Down', description: 'No light', service_affected: id } });
    const events = [{ id: `of-${index}`, service_id: id, metric: 'api_calls', quantity: 10, timestamp: clock.now() }];
    await tenant.rest('POST', '/billing/usage', { body: { events } });
  }
  await createInvoice({ tenant, accountId, serviceId, firstInvoice }, { quantity: 1, unit_price: 5000 });
  const figures = async (query: Record<string, string>): Promise<unknown[]> => {
    const { incidents, tickets, availability } = await readAnalytics(tenant, 'performance', query);
    const { usage } = await readAnalytics(tenant, 'usage', query);
    const { costs } = await readAnalytics(tenant, 'costs', query);
    return [
      incidents.opened,
      tickets.opened,
      availability.service_count,
      usage.total_usage.api_calls,
      costs.by_service.map((one: Json) => one.service_id),
    ];
  };
  await eventually(async () => (await figures({}))[2] === 2);
  expect(await figures({})).toEqual([3, 3, 2, 30, [serviceId, own.serviceId]]);
  for (const query of [{ service_ids: own.serviceId }, { account_id: own.accountId }] as Record<string, string>[])
    expect(await figures(query), JSON.stringify(query)).toEqual([1, 1, 1, 10, [own.serviceId]]);
  for (const query of [{ service_ids: serviceId }, { account_id: accountId, service_ids: serviceId }] as Record<string, string>[])
    expect(await figures(query), JSON.stringify(query)).toEqual([2, 2, 1, 20, [serviceId]]);
  const date_range = { start: `${dayAgo()}T00:00:00Z`, end: clock.now() };
  const body = { report_type: 'custom', metrics: ['incidents', 'usage'], grouping: ['service'], date_range };
  const { id } = (await tenant.rest('POST', '/analytics/reports', { body })).body.data;
  const url = await eventually(async () => (await tenant.rest('GET', `/analytics/reports/${id}`)).body.data.download_url);
  const { rows: lines } = (await (await fetch(url)).json()) as Json;
  const found = lines.map((one: Json) => [one.service_id, one.incidents_opened, one.api_calls]);
  expect(found.sort()).toEqual(
    [
      [own.serviceId, 1, 10],
      [serviceId, 2, 20],
    ].sort(),
  );
});

test('figures that a query selects several times are read once', async () => {
  const aliased = (count: number) =>
    Array.from({ length: count }, (_, n) => `a${n}: quality { latencyP95Ms } b${n}: costs { total }`).join(' ');
  const statementsOf = async (count: number): Promise<number> =>
    (await platform.statements(() => billed.tenant.graphql(`{ analytics { ${aliased(count)} } }`))).length;
  expect(await statementsOf(20)).toBe(await statementsOf(1));
});

test('a caller that is limited to an account gets only its figures, and other accounts, services and organizations are not found', async () => {
  const other = (await createAccount(billed.tenant)).id;
  const limited = await keyOfAccount(billed.tenant, other, 'analytics:read', 'billing:read');
  expect(await readAnalytics(limited, 'performance')).toMatchObject({
    availability: { service_count: 0, services: [] },
    quality: { latency_average_ms: null, services: [] },
    incidents: { opened: 0 },
    tickets: { opened: 0 },
  });
  expect((await readAnalytics(limited, 'costs')).costs).toMatchObject({ total: 0, by_service: [] });
  const whole = await keyOfAccount(billed.tenant, billed.accountId, 'analytics:read', 'billing:read');
  expect((await readAnalytics(whole, 'costs')).costs.total).toBe(
    (await readAnalytics(billed.tenant, 'costs', { account_id: billed.accountId })).costs.total,
  );
  expect((await readAnalytics(whole, 'performance')).availability.service_count).toBe(1);
  const stranger = await platform.organization();
  for (const [by, query] of [
    [limited, { account_id: billed.accountId }],
    [limited, { service_ids: billed.serviceId }],
    [stranger, { account_id: billed.accountId }],
    [stranger, { service_ids: billed.serviceId }],
    [billed.tenant, { service_ids: `${billed.serviceId},svc_nothing` }],
  ] as const)
    for (const path of ['performance', 'usage', 'costs', 'trends'])
      expect((await getAnalytics(by, path, query)).status, JSON.stringify(query)).toBe(404);
  const mismatch = await getAnalytics(billed.tenant, 'usage', { account_id: other, service_ids: billed.serviceId });
  expect([mismatch.status, mismatch.body.error.details.field ?? mismatch.body.error.details.errors[0].field]).toEqual([400, 'service_ids']);
});
