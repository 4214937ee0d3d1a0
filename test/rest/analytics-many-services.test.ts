import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { samplePartitions } from '../../subgraphs/monitoring/samples/sample-partitions.ts';
import { bucketIndex } from '../../subgraphs/monitoring/samples/sketch.ts';
import { dayAgo, getAnalytics, readAnalytics } from '../analytics.setup.ts';
import { billedTenant, createAccount } from '../billing.setup.ts';
import { eventually, onRig, type Rig, start } from '../rig.ts';
import { copiesOf, rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

/** The embedded database needs ten times as long for these figures. */
const [FEW, MANY] = [20, process.env.TEST_DATABASE_URL ? 4_000 : 2_000];
/** Figures are stored within this period. The first service of each organization is newer. */
const date_range = `${dayAgo(20)}..${dayAgo(2)}`;
const DAYS = 19;
const at = (ago: number, time = '12:00:00'): string => `${dayAgo(ago)}T${time}Z`;

/** Stored figures of the service number `n`, from which the test computes the expected sums. */
const downMinutes = (n: number): number => n % 100;
const latencies = (n: number): number[] => [10 + (n % 50), 30 + (n % 70)];
const jitter = (n: number): number => 1 + (n % 5);
const loss = (n: number): number => (n % 4) / 10;
const usage = (n: number): number => n / 10;
const cost = (n: number): number => (n % 9) + 0.01;
const SEVERITIES = ['minor', 'major', 'critical'];

interface World {
  tenant: Tenant;
  accounts: [string, string];
  numbers: number[];
  costsBefore: number;
}

// a platform of its own, because it measures thousands of services
let platform: Rig;
let [few, many] = [{} as World, {} as World];
beforeAll(async () => {
  platform = await start();
  await onRig(platform, async () => {
    few = await worldOf(FEW);
    many = await worldOf(MANY);
    for (const { tenant } of [few, many])
      await eventually(async () => (await readAnalytics(tenant, 'performance')).quality.complete_until > at(1));
  });
}, 300_000);
afterAll(() => platform.close());

/** Creates an organization with `count` services of two accounts, and figures of each service in all domains. */
async function worldOf(count: number): Promise<World> {
  const { tenant, accountId, serviceId } = await billedTenant();
  const { organizationId } = tenant;
  const other = (await createAccount(tenant)).id as string;
  const database = await rows();
  const query = (text: string, ...values: unknown[]) => database.query(text, values);
  const costsBefore = (await readAnalytics(tenant, 'costs', { date_range })).costs.total as number;
  await copiesOf('services.service', serviceId, count);
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const account = (n: number): string => (n % 2 ? other : accountId);
  const given = JSON.stringify(
    numbers.map((n) => ({ n, id: `${serviceId}x${n}`, account: account(n), down: downMinutes(n), usage: usage(n), cost: cost(n) })),
  );
  const services = `json_to_recordset($2::json) as g(n int, id text, account text, down int, usage numeric, cost numeric)`;
  await query(
    `update services.service s set account_id = g.account, status = 'operational', provisioned_at = $3::timestamptz,
       type = case when g.n % 2 = 1 then 'sip_trunk' else s.type end from ${services} where s.organization_id = $1 and s.id = g.id`,
    ...[organizationId, given, at(60)],
  );
  await query(
    `insert into services.service_status_change (id, organization_id, service_id, "from", "to", created_at)
     select 'chg_' || g.id || s."to", $1, g.id, s."from", s."to", $3::timestamptz + s.ends * g.down * interval '1 minute'
     from ${services}, (values ('operational', 'down', 0), ('down', 'operational', 1)) s("from", "to", ends)`,
    ...[organizationId, given, at(3)],
  );
  await query(
    `insert into billing.usage_day (organization_id, service_id, metric, day, account_id, type, service_type, currency, quantity, events)
     select $1, g.id, 'data_gb', $3::date, g.account, 'internet', 'fiber', 'USD', g.usage, 1 from ${services}`,
    ...[organizationId, given, dayAgo(7)],
  );
  for (const [accountOf, serviceOf] of [`'', ''`, `g.account, ''`, `g.account, g.id`].map((one) => one.split(', ')))
    await query(
      `insert into billing.cost_month (organization_id, account_id, service_id, currency, month, category, amount)
       select $1, ${accountOf}, ${serviceOf}, 'USD', date_trunc('month', $3::date), 'connectivity', sum(g.cost) from ${services} group by 2, 3`,
      ...[organizationId, given, dayAgo(2)],
    );
  await query(
    `with incident as (
       insert into monitoring.incident (id, organization_id, number, title, severity, source, started_at, identified_at, resolved_at, created_at, updated_at)
       select 'inc_' || g.id, $1, 'INC-T' || g.n, 'Down', ($4::text[])[1 + g.n % 3], 'manual', $3::timestamptz, $3::timestamptz + interval '1 minute',
         $3::timestamptz + g.n % 7 * interval '1 hour', now(), now() from ${services} where g.n % 10 = 0 returning id
     )
     insert into monitoring.incident_service (id, organization_id, incident_id, service_id, account_id, created_at)
     select 'ins_' || g.id, $1, i.id, g.id, g.account, now() from ${services} join incident i on i.id = 'inc_' || g.id`,
    ...[organizationId, given, at(4), SEVERITIES],
  );
  const ticket = { title: 'Down', description: 'No light', service_affected: serviceId };
  const { id: ticketId } = (await tenant.rest('POST', '/support/tickets', { body: ticket })).body.ticket;
  const copies = await copiesOf('support.ticket', ticketId, count, 'number');
  await query(
    `update support.ticket t set created_at = $2::timestamptz, service_affected = $3 || substr(t.id, $4) where t.id = any($1)`,
    ...[copies, at(6), serviceId, ticketId.length + 1],
  );
  await storeQuality(organizationId, serviceId, numbers, account);
  // a server does this in the background
  await query('analyze');
  return { tenant, accounts: [accountId, other], numbers, costsBefore };
}

async function storeQuality(organizationId: string, serviceId: string, numbers: number[], account: (n: number) => string): Promise<void> {
  const database = await rows();
  await samplePartitions(platform.assembly.stores.monitoring.orm).quarters.ensure([new Date(at(5))]);
  const rollups = numbers.flatMap((n) =>
    Object.entries({ latency_ms: latencies(n), jitter_ms: [jitter(n)], packet_loss: [loss(n)] }).map(([metric, values]) => ({
      ...{ metric, service: `${serviceId}x${n}`, account: account(n), samples: values.length, sum: sumOf(values) },
      ...{ min: Math.min(...values), max: Math.max(...values), first: values[0], last: values.at(-1) },
      ...{ index: [...new Set(values.map(bucketIndex))].toSorted((one, next) => one - next) },
      amounts: [...Map.groupBy(values, bucketIndex)].toSorted(([one], [next]) => one - next).map(([, its]) => its.length),
    })),
  );
  await database.query(
    `insert into monitoring.metric (organization_id, name, type, created_at) select $1, name, 'gauge', now()
     from unnest(array['latency_ms', 'jitter_ms', 'packet_loss']) name on conflict do nothing`,
    [organizationId],
  );
  await database.query(
    `with given as (
       select * from json_to_recordset($2::json) as g(metric text, service text, account text, samples int, sum float8, min float8, max float8,
         first float8, last float8, index smallint[], amounts bigint[])
     ), series as (
       insert into monitoring.series (organization_id, metric_id, service_id, account_id, digest, created_at, is_measured)
       select $1, m.id, g.service, g.account, sha256(g.service::bytea), now(), true from given g
       join monitoring.metric m on m.organization_id = $1 and m.name = g.metric returning id, metric_id, service_id
     )
     insert into monitoring.rollup_15m (series_id, at, samples, sum, min, max, first, last, sketch_index, sketch_amount)
     select s.id, $3::timestamptz, g.samples, g.sum, g.min, g.max, g.first, g.last, g.index, g.amounts
     from given g join monitoring.metric m on m.organization_id = $1 and m.name = g.metric
     join series s on s.metric_id = m.id and s.service_id = g.service`,
    [organizationId, JSON.stringify(rollups), at(5)],
  );
}

const sumOf = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const averageOf = (values: readonly number[]): number => sumOf(values) / values.length;
const rank = (values: readonly number[], percent: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil((percent / 100) * values.length) - 1] as number;
const largest = (values: readonly number[]): number[] => values.toSorted((one, other) => other - one).slice(0, 50);
/** Percentiles have an error of at most 1 %. */
const near = (found: number, exact: number): void => expect(Math.abs(found - exact) / exact).toBeLessThanOrEqual(0.0101);

describe.each([
  ['all services', () => ({}), () => true],
  ['the services of an account', () => ({ account_id: many.accounts[1] }), (n: number) => n % 2 === 1],
  ['the services of a type', () => ({ type: 'sip_trunk' }), (n: number) => n % 2 === 1],
] as const)('the figures of %s of an organization with thousands of services', (_, selection, isSelected) => {
  const selected = (): number[] => many.numbers.filter(isSelected);
  const read = (path: string): Promise<Json> => readAnalytics(many.tenant, path, { date_range, ...selection() });

  test('the availability and quality are those of all services, and each list has the 50 worst services', async () => {
    const numbers = selected();
    const { availability, quality } = await read('performance');
    const down = numbers.map((n) => downMinutes(n) * 60);
    const total = numbers.length * DAYS * 86_400;
    expect(availability).toMatchObject({ service_count: numbers.length, downtime_seconds: sumOf(down) });
    expect(availability.uptime_percentage).toBe(Number(((100 * (total - sumOf(down))) / total).toFixed(3)));
    expect(availability.services.map((one: Json) => one.downtime_seconds)).toEqual(largest(down));
    const all = numbers.flatMap(latencies);
    expect(quality.latency_average_ms).toBeCloseTo(averageOf(all), 3);
    expect(quality.jitter_average_ms).toBeCloseTo(averageOf(numbers.map(jitter)), 3);
    expect(quality.packet_loss_average).toBeCloseTo(averageOf(numbers.map(loss)), 3);
    for (const percent of [50, 95, 99]) near(quality[`latency_p${percent}_ms`], rank(all, percent));
    const worst = largest(numbers.map((n) => Math.max(...latencies(n))));
    expect(quality.services).toHaveLength(50);
    for (const [index, exact] of worst.entries()) near(quality.services[index].latency_p95_ms, exact);
  });

  test('the incidents and tickets are those of all services', async () => {
    const { incidents, tickets } = await read('performance');
    const affected = selected().filter((n) => n % 10 === 0);
    const counts = Object.fromEntries(SEVERITIES.map((severity, index) => [severity, affected.filter((n) => n % 3 === index).length]));
    expect(incidents).toMatchObject({ opened: affected.length, resolved: affected.length, ...counts });
    if (affected.length > 0) {
      expect(incidents.mean_seconds_to_identify).toBe(60);
      expect(incidents.mean_seconds_to_resolve).toBeCloseTo(averageOf(affected.map((n) => (n % 7) * 3600)), 2);
    }
    // tickets of an account are those that the account opened, and the copies are of the other account
    if (!('account_id' in selection())) expect(tickets.opened).toBe(selected().length);
  });

  test('the usage and costs are the sums of all services, and each list has the 50 highest services', async () => {
    const { usage: used } = await read('usage');
    const quantities = selected();
    expect(used.total_usage.data_gb).toBe(sumOf(quantities) / 10);
    expect(used.by_day.find(({ date }: Json) => date === dayAgo(7)).data_gb).toBe(sumOf(quantities) / 10);
    expect(used).toMatchObject({ services_total: quantities.length, services: largest(quantities).map((n) => ({ usage: n / 10 })) });
    const { costs } = await read('costs');
    const cents = selected().map((n) => Math.round(cost(n) * 100));
    const isAll = Object.keys(selection()).length === 0;
    expect(costs.total).toBe(Math.round(sumOf(cents) + (isAll ? many.costsBefore * 100 : 0)) / 100);
    expect(costs.by_service).toHaveLength(50);
    if (!isAll) expect(costs.by_service.map(({ amount }: Json) => amount)).toEqual(largest(cents).map((one) => one / 100));
  });

  test('the trends have the sums of each day', async () => {
    const trends = await read('trends');
    const numbers = selected();
    const valueOn = (trend: Json, ago: number): number => trend.values.find(({ date }: Json) => date === dayAgo(ago)).value;
    expect(valueOn(trends.latency, 5)).toBeCloseTo(averageOf(numbers.flatMap(latencies)), 3);
    expect(valueOn(trends.usage[0], 7)).toBe(sumOf(numbers) / 10);
    const down = sumOf(numbers.map((n) => downMinutes(n)));
    expect(valueOn(trends.availability, 3)).toBe(Number((100 - (100 * down) / (numbers.length * 1440)).toFixed(3)));
    if (!('account_id' in selection())) expect(valueOn(trends.tickets, 6)).toBe(numbers.length);
  });
});

describe('the number of SQL statements', () => {
  const counted = async (act: () => Promise<unknown>): Promise<number> => {
    // the first request caches the API key and the query plan
    await act();
    const seen = await platform.clock.standingStill(() => platform.statements(act));
    // the timer that stores the counted requests can begin in a slow request
    return seen.filter((sql) => !/usage_count|usage_writer/.test(sql)).length;
  };
  const SCOPE = `query ($dateRange: String!) { analytics(dateRange: $dateRange) {
    availability { uptimePercentage services { serviceId } } quality { latencyP95Ms services { serviceId } } incidents { opened } usage { servicesTotal }
    costs { total byService { serviceId } } tickets { opened } apiRequests { requests } latencyTrend { average } costTrend { average }
  } }`;

  // the savings need a list of services, whose first page does not have all of them: another statement counts them
  test.each([
    ['performance', 0],
    ['usage', 0],
    ['costs', 1],
    ['trends', 0],
  ])('GET /analytics/%s runs for thousands of services as many statements as for 20, and %i to count the services', async (path, more) => {
    const of = ({ tenant }: World) => counted(() => readAnalytics(tenant, path, { date_range }));
    expect((await of(many)) - (await of(few))).toBe(more);
  });

  test('the analysis in GraphQL runs as many statements for thousands of services as for 20', async () => {
    const of = ({ tenant }: World) =>
      counted(async () => expect((await tenant.graphql(SCOPE, { dateRange: date_range })).errors).toBeUndefined());
    expect(await of(many)).toBe(await of(few));
  });

  test('an analysis of a type runs a few statements for each 200 services, which it lists', async () => {
    const of = ({ tenant }: World) => counted(() => readAnalytics(tenant, 'usage', { date_range, type: 'sip_trunk' }));
    expect((await of(many)) - (await of(few))).toBeLessThanOrEqual(MANY / 200);
  });
});

test('a report of thousands of services has one row for each type, and one with a row for each service is refused', async () => {
  const { tenant } = many;
  const parameters = {
    report_type: 'custom',
    metrics: ['usage', 'availability'],
    date_range: { start: at(20, '00:00:00'), end: at(1, '00:00:00') },
  };
  const refused = await tenant.rest('POST', '/analytics/reports', { body: { ...parameters, grouping: ['service'] } });
  expect([refused.status, refused.body.error.details.field ?? refused.body.error.details.errors[0].field]).toEqual([400, 'grouping']);
  const { id } = (await tenant.rest('POST', '/analytics/reports', { body: { ...parameters, grouping: ['type'] } })).body.data;
  const url = await eventually(async () => (await tenant.rest('GET', `/analytics/reports/${id}`)).body.data.download_url);
  const { rows: lines } = (await (await fetch(url)).json()) as Json;
  const ofType = lines.find((line: Json) => line.type === 'sip_trunk');
  const odd = many.numbers.filter((n) => n % 2 === 1);
  expect(ofType).toMatchObject({ data_gb: sumOf(odd) / 10, downtime_seconds: sumOf(odd.map(downMinutes)) * 60 });
});

test('more than 50 named services are refused', async () => {
  const ids = Array.from({ length: 51 }, (_, index) => `svc_${index}`).join();
  expect((await getAnalytics(many.tenant, 'usage', { service_ids: ids })).status).toBe(400);
});
