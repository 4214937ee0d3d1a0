import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { readAnalytics } from '../analytics.setup.ts';
import { LOCATION } from '../billing.setup.ts';
import { chart, rolledUp, upToDate } from '../metrics.setup.ts';
import { eventually, onRig, type Rig, start } from '../rig.ts';
import { onlyTable, rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const HALF_HOUR = 30 * MINUTE;
const clock = new TestClock();

/** Returns the date that clocks in a time zone show. It uses only the JavaScript API Intl. */
const dateIn = (timeZone: string): ((at: number) => string) => {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  return (at) => format.format(at);
};

const plus = (date: string, days: number): string => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);

/** Returns when a date begins in a time zone: the first half hour of UTC in which clocks show it. */
function beginOf(date: string, zone: string): number {
  const of = dateIn(zone);
  let at = Date.parse(date) - DAY;
  while (of(at) < date) at += HALF_HOUR;
  return at;
}

interface Sample {
  at: number;
  value: number;
}

/** Generates samples between two times, many of them close to the start of a day. */
const samplesBetween = (from: number, to: number, starts: readonly number[]): fc.Arbitrary<Sample[]> => {
  const near = fc.tuple(fc.constantFrom(...starts), fc.constantFrom(-MINUTE, -1, 0, 1, MINUTE, -HALF_HOUR, HALF_HOUR));
  const at = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: from, max: to - 1 }) },
    near.map(([time, offset]) => time + offset),
  );
  const value = fc.double({ min: 0.5, max: 500, noNaN: true });
  return fc.uniqueArray(fc.record({ at, value }), { selector: (sample) => sample.at, minLength: 40, maxLength: 120 });
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Applies a function to the values of each date. A date without values has null. */
function byDate(samples: readonly Sample[], zone: string, dates: readonly string[], of: (values: number[]) => number): (number | null)[] {
  const days = Map.groupBy(samples, ({ at }) => dateIn(zone)(at));
  return dates.map((date) => {
    const its = days.get(date);
    return its ? of(its.map(({ value }) => value)) : null;
  });
}

function expectClose(found: readonly (number | null)[], wanted: readonly (number | null)[], label: string): void {
  expect(found.length, label).toBe(wanted.length);
  for (const [index, value] of wanted.entries()) {
    if (value === null) expect(found[index], `${label} ${index}`).toBeNull();
    else expect(Math.abs((found[index] ?? Number.NaN) - value), `${label} ${index}: ${found[index]} ${value}`).toBeLessThanOrEqual(1e-3);
  }
}

/** Sends samples of the metric `ticks`, each half hour at its end, and copies them to the measured metric `latency_ms`. */
async function sendTicks(tenant: Tenant, samples: readonly Sample[]): Promise<void> {
  for (const [half, its] of [...Map.groupBy(samples, ({ at }) => Math.floor(at / HALF_HOUR))].toSorted(([one], [other]) => one - other)) {
    clock.set(new Date((half + 1) * HALF_HOUR));
    const body = { samples: its.map(({ at, value }) => ({ metric: 'ticks', at: new Date(at), value })) };
    const { body: response } = await tenant.rest('POST', '/monitoring/samples', { body });
    expect(response.data, JSON.stringify(response)).toMatchObject({ accepted: its.length, refused: [] });
    await copyTicks(tenant);
  }
}

/** Only the platform can write `latency_ms`, so the samples are copied in the database. */
async function copyTicks({ organizationId }: Tenant): Promise<void> {
  await (await rows()).query(
    `with metric as (
       insert into monitoring.metric (organization_id, name, type, created_at) values ($1, 'latency_ms', 'gauge', $2)
       on conflict (organization_id, name) do update set type = 'gauge' returning id
     ), series as (
       insert into monitoring.series (organization_id, metric_id, service_id, account_id, digest, created_at, active_at)
         select $1, id, 'svc_model', 'acc_model', 'model', $2, $2 from metric
       on conflict (metric_id, digest) do update set active_at = $2 returning id
     ), copied as (
       insert into monitoring.sample (series_id, at, value)
         select series.id, x.at, x.value from series, monitoring.sample x join monitoring.series s on s.id = x.series_id
           join monitoring.metric m on m.id = s.metric_id where m.organization_id = $1 and m.name = 'ticks'
       on conflict do nothing returning series_id, at
     )
     insert into monitoring.late_minute (series_id, at) select distinct series_id, date_trunc('minute', at) from copied`,
    [organizationId, clock.now()],
  );
}

/** Orders a service of an account with a time zone, and returns its id. */
async function orderIn(tenant: Tenant, timezone: string): Promise<string> {
  const account = (await tenant.rest('POST', '/accounts', { body: { name: 'Days', email: 'it@acme.example.com', timezone } })).body.data;
  const order = { account_id: account.id, service_type: 'fiber', bandwidth: '500mbps', location: LOCATION, sla: 'enterprise' };
  return (await tenant.rest('POST', '/connectivity/internet', { body: { ...order, billing_cycle: 'monthly' } })).body.data.id;
}

test.each([
  ['Australia/Lord_Howe', '2026-10-04', 23.5],
  ['Europe/Berlin', '2026-10-25', 25],
  ['America/New_York', '2026-11-01', 25],
  ['America/New_York', '2027-03-14', 23],
  ['Europe/Berlin', '2027-03-28', 23],
  ['Australia/Lord_Howe', '2027-04-04', 24.5],
] as const)(
  'in %s, the day %s has %d hours and contains exactly its samples, requests, tickets and usage',
  { timeout: 300_000 },
  async (timezone, changed, hours) => {
    const dates = [-1, 0, 1].map((days) => plus(changed, days));
    const starts = [-1, 0, 1, 2].map((days) => beginOf(plus(changed, days), timezone));
    const [first, begin, next, end] = starts as [number, number, number, number];
    expect([begin - first, next - begin, end - next].map((ms) => ms / HOUR)).toEqual([24, hours, 24]);
    const [from, to] = [first - 2 * HOUR, end + 2 * HOUR];
    clock.set(new Date(from - DAY));
    // a platform of its own, so that its rollups begin at this time
    const platform = await start({}, clock);
    onTestFinished(() => platform.close());
    const seen = (samples: readonly Sample[], of: (values: number[]) => number) => byDate(samples, timezone, dates, of);
    await onRig(platform, () =>
      fc.assert(
        fc.asyncProperty(samplesBetween(from, to, starts), async (samples) => {
          clock.set(new Date(from));
          const tenant = await platform.organization({ plan: 'custom' });
          await sendTicks(tenant, samples);
          clock.set(new Date(to + 3 * HOUR));
          await rolledUp(tenant);
          await upToDate(tenant, 'ticks');
          const query = { step: '1d', from: new Date(from).toISOString(), to: new Date(to).toISOString(), timezone };
          for (const [aggregation, of] of [
            ['count', (values: number[]) => values.length],
            ['sum', sum],
            ['max', (values: number[]) => Math.max(...values)],
          ] as const) {
            const { times, series }: Json = await chart(tenant, 'ticks', { ...query, aggregation });
            const values = new Map<string, number | null>(times.map((time: string, n: number) => [time, series[0].values[n]]));
            const found = starts.slice(0, -1).map((at) => values.get(new Date(at).toISOString()) ?? null);
            expectClose(found, seen(samples, of), `${aggregation} of the chart`);
          }

          const range = `${dates[0]}..${dates[2]}`;
          const { latency } = await readAnalytics(tenant, 'trends', { date_range: range, timezone });
          const average = (values: number[]): number => sum(values) / values.length;
          expect(latency.values.map(({ date }: Json) => date)).toEqual(dates);
          expectClose(
            latency.values.map(({ value }: Json) => value),
            seen(samples, average),
            'latency trend',
          );
          for (const [index, date] of dates.entries()) {
            const { period, quality } = await readAnalytics(tenant, 'performance', { date_range: `${date}..${date}`, timezone });
            expect([period.start, period.end].map(Date.parse)).toEqual([starts[index], starts[index + 1]]);
            expectClose([quality.latency_average_ms], [seen(samples, average)[index] ?? null], `quality of ${date}`);
          }
        }),
        // a smaller case is not looked for, because each run takes seconds
        { numRuns: Number(process.env.MODEL_RUNS ?? 2), endOnFailure: true },
      ),
    );
    await onRig(platform, () => countedByDay(platform, timezone, dates, starts));
  },
);

/** Compares what is counted by days, with times that are spread over three days, five of them close to each midnight. */
async function countedByDay(platform: Rig, timezone: string, dates: readonly string[], starts: readonly number[]): Promise<void> {
  const [first = 0, end = 0] = [starts[0], starts.at(-1)];
  const spread = Array.from({ length: 30 }, (_, n) => first + Math.floor(((end - first) * n) / 30));
  const times = [...new Set([...spread, ...starts.flatMap((at) => [at - HOUR, at - 1, at, at + 1, at + HOUR - 1])])];
  const ones = times.map((at) => ({ at, value: 1 }));
  clock.set(new Date(end + DAY));
  const tenant = await platform.organization({ plan: 'custom' });
  const serviceId = await orderIn(tenant, timezone);

  const { usage } = platform.assembly.domains.identity.core;
  for (const at of times) usage.count(tenant.organizationId, { requests: 1, weight: 2 }, new Date(at));
  await usage.flush();
  const events = times.map((at, n) => ({
    id: `at-${n}`,
    service_id: serviceId,
    metric: 'api_calls',
    quantity: 1,
    timestamp: new Date(at),
  }));
  await eventually(async () => (await tenant.rest('POST', '/billing/usage', { body: { events } })).body.data.accepted === events.length);
  const table = await onlyTable('support.ticket');
  for (const at of times.filter((_, n) => n % 3 === 0 || n >= 30)) {
    const { ticket } = (await tenant.rest('POST', '/support/tickets', { body: { title: 'Down', description: 'No light' } })).body;
    await table.set('created_at', new Date(at).toISOString(), 'id', ticket.id);
  }

  const of = (samples: readonly Sample[]) => byDate(samples, timezone, dates, sum).map((value) => value ?? 0);
  const query = { date_range: `${dates[0]}..${dates[2]}`, timezone };
  const found = await readAnalytics(tenant, 'usage', query);
  const hours = ones.map(({ at, value }) => ({ at: Math.floor(at / HOUR) * HOUR, value }));
  expect(found.api_requests.by_day.map(({ requests }: Json) => requests)).toEqual(of(hours));
  expect(found.usage.by_day.map(({ api_calls: calls }: Json) => calls)).toEqual(of(ones));
  const { tickets, usage: trends } = await readAnalytics(tenant, 'trends', query);
  expect(trends[0].values.map(({ value }: Json) => value)).toEqual(of(ones));
  expect(tickets.values.map(({ value }: Json) => value)).toEqual(of(ones.filter((_, n) => n % 3 === 0 || n >= 30)));

  await downOn(tenant, serviceId, starts);
  for (const [index, date] of dates.entries()) {
    const { availability } = await readAnalytics(tenant, 'performance', { date_range: `${date}..${date}`, timezone });
    const seconds = index === 1 ? ((starts[2] ?? 0) - (starts[1] ?? 0)) / 1000 : 0;
    expect([availability.uptime_percentage, availability.downtime_seconds]).toEqual([index === 1 ? 0 : 100, seconds]);
  }
  const { availability } = await readAnalytics(tenant, 'trends', query);
  expect(availability.values.map(({ value }: Json) => value)).toEqual([100, 0, 100]);
}

/** Replaces the history of a service by one in which it was down on the second of three days. */
async function downOn(tenant: Tenant, serviceId: string, starts: readonly number[]): Promise<void> {
  await eventually(async () => (await tenant.rest('GET', `/services/${serviceId}`)).body.data.status === 'operational');
  const at = (time = 0): string => new Date(time).toISOString();
  const since = (starts[0] ?? 0) - DAY;
  await (await onlyTable('services.service')).set('provisioned_at', at(since), 'id', serviceId);
  await (await rows()).query('delete from services.service_status_change where service_id = $1', [serviceId]);
  const changes = [
    ['pending', 'operational', since],
    ['operational', 'down', starts[1]],
    ['down', 'operational', starts[2]],
  ] as const;
  for (const [index, [from, to, time]] of changes.entries())
    await (await rows()).query(
      `insert into services.service_status_change (id, organization_id, service_id, "from", "to", reason, created_at) values ($1, $2, $3, $4, $5, 'test', $6)`,
      [`chg_DAYS${serviceId.slice(-8)}${index}`, tenant.organizationId, serviceId, from, to, at(time)],
    );
}
