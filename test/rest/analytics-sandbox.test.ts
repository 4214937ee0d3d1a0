import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { DAY_MS, dateOf } from '../../kernel/values/days.ts';
import { Decimal, sum } from '../../kernel/values/money.ts';
import { readAnalytics } from '../analytics.setup.ts';
import { type BilledTenant, billedTenant, orderService } from '../billing.setup.ts';
import { eventually, onRig, type Rig, start } from '../rig.ts';
import type { Json } from '../tenant.ts';

const ADVANCED_DAYS = 200;

// a platform of its own, because only a sandbox has clocks of organizations
let platform: Rig;
let own: BilledTenant;
/** The time of the organization in billing, after its clock was advanced. */
let billingTime: Date;
beforeAll(async () => {
  platform = await start({ SANDBOX: '1' }, new TestClock());
  own = await onRig(platform, async () => {
    const billed = await billedTenant();
    await orderService(billed.tenant, billed.accountId, { bandwidth: '1000mbps' });
    return billed;
  });
  billingTime = new Date(platform.clock.now().getTime() + ADVANCED_DAYS * DAY_MS);
  const { errors } = await own.tenant.graphql(`mutation { advanceSandboxClock(to: "${billingTime.toISOString()}") { status } }`);
  expect(errors).toBeUndefined();
  const isReady = async () => (await own.tenant.graphql('{ sandboxClock { status } }')).data.sandboxClock.status === 'READY';
  await eventually(isReady, 60_000);
}, 120_000);
afterAll(() => platform.close());

const read = (path: string, query: Record<string, string> = {}): Promise<Json> => readAnalytics(own.tenant, path, query);
async function get(path: string): Promise<Json> {
  const { status, body } = await own.tenant.rest('GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}
/** The date of billing `ago` days before its today. */
const billingDay = (ago = 0): string => dateOf(new Date(billingTime.getTime() - ago * DAY_MS));
const platformDay = (): string => dateOf(platform.clock.now());
const totalOf = (amounts: readonly { amount: number }[]): number => sum(amounts.map(({ amount }) => new Decimal(amount))).toNumber();
/** The costs of each month that billing lists. */
async function billedCosts(from: string, to: string): Promise<{ month: string; amount: number }[]> {
  const { data } = await own.tenant.graphql('query ($filter: CostFilter) { costs(filter: $filter) { month amount } }', {
    filter: { from, to },
  });
  return data.costs.map(({ month, amount }: Json) => ({ month, amount: Number(amount) }));
}

test('after the clock of an organization was advanced, the costs of a relative period end at the time of billing and equal those of billing', async () => {
  const { costs } = await read('costs', { date_range: '30d' });
  const analysis = await get('/billing/cost-analysis');
  expect(costs).toMatchObject(analysis);
  const [from, to] = [billingDay(29).slice(0, 7), billingDay().slice(0, 7)];
  const months = await billedCosts(from, to);
  expect(costs).toMatchObject({ from_month: from, to_month: to, total: totalOf(months) });
  expect(costs.by_month.map(({ month, amount }: Json) => [month, amount])).toEqual(months.map(({ month, amount }) => [month, amount]));
  expect(costs.total).toBeGreaterThan(0);
});

test('dates that only the advanced clock has reached can be named, and their costs equal those of billing month by month', async () => {
  const [from, to] = [platformDay(), billingDay()];
  const { costs } = await read('costs', { date_range: `${from}..${to}` });
  const months = await billedCosts(from.slice(0, 7), to.slice(0, 7));
  expect(months.length).toBeGreaterThan(6);
  expect(costs.by_month.map(({ month, amount }: Json) => [month, amount])).toEqual(months.map(({ month, amount }) => [month, amount]));
  expect(costs.total).toBe(totalOf(months));
  const later = (await read('costs', { date_range: `${billingDay(40)}..${billingDay(20)}` })).costs;
  expect(later.total).toBe(totalOf(await billedCosts(billingDay(40).slice(0, 7), billingDay(20).slice(0, 7))));
});

test('the trend of costs ends with the last month that has ended at the time of billing', async () => {
  const { cost } = await read('trends');
  const months = await billedCosts(platformDay().slice(0, 7), billingDay().slice(0, 7));
  const ended = months.filter(({ month }) => month < billingDay().slice(0, 7));
  expect(ended.length).toBeGreaterThan(5);
  const values = cost.values.filter(({ value }: Json) => value !== null);
  expect(values).toEqual(ended.map(({ month: date, amount: value }) => ({ date, value })));
});

test('the usage of a relative period ends at the time of billing and equals that of billing', async () => {
  const event = (id: string, quantity: number, ago: number) => ({
    ...{ id, service_id: own.serviceId, metric: 'data_gb', quantity, timestamp: new Date(billingTime.getTime() - ago * DAY_MS) },
  });
  const body = { events: [event('now', 0.1, 0), event('recent', 0.2, 2), event('before', 5, 40)] };
  expect((await own.tenant.rest('POST', '/billing/usage', { body })).body.data).toMatchObject({ accepted: 3 });
  const { usage } = await read('usage', { date_range: '30d' });
  expect(usage.total_usage.data_gb).toBe(0.3);
  expect(usage.total_usage_before.data_gb).toBe(5);
  expect([usage.by_day[0].date, usage.by_day.at(-1)]).toMatchObject([billingDay(29), { date: billingDay(), data_gb: 0.1 }]);
  const month = await get('/billing/usage?period=current_month');
  expect((await read('usage', { date_range: `${month.first_day}..${billingDay()}` })).usage.total_usage).toEqual(month.total_usage);
  const trend = (await read('trends')).usage.find(({ name }: Json) => name === 'data_gb');
  // today has not ended
  expect(trend.values.at(-1)).toEqual({ date: billingDay(1), value: 0 });
  expect(trend.values.at(-2)).toEqual({ date: billingDay(2), value: 0.2 });
});

test('what the platform measures keeps the time of the platform, and has no figures for days that have not begun', async () => {
  const { period, availability, tickets } = await read('performance', { date_range: '30d' });
  expect(period.last_day).toBe(platformDay());
  expect(tickets.opened).toBe(0);
  await vi.waitFor(async () => expect((await read('performance')).availability.service_count).toBe(2), { timeout: 20_000 });
  expect(availability.uptime_percentage_before).toBeNull();
  const later = await read('performance', { date_range: `${billingDay(30)}..${billingDay()}` });
  expect(later.availability).toMatchObject({ uptime_percentage: null, downtime_seconds: 0, service_count: 0, services: [] });
  expect(later).toMatchObject({ quality: { latency_average_ms: null, services: [] }, incidents: { opened: 0 }, tickets: { opened: 0 } });
  const trends = await read('trends', { date_range: `${billingDay(30)}..${billingDay()}` });
  expect(trends).toMatchObject({ availability: { values: [] }, latency: { values: [] }, tickets: { values: [] } });
});

test('a report has the costs of the months that the advanced clock has reached', async () => {
  const date_range = { start: `${platformDay()}T00:00:00Z`, end: billingTime };
  const body = { report_type: 'costs', date_range, grouping: ['month'] };
  const created = await own.tenant.rest('POST', '/analytics/reports', { body });
  expect(created.status, JSON.stringify(created.body)).toBeLessThan(300);
  const { id } = created.body.data;
  const url = await eventually(async () => (await get(`/analytics/reports/${id}`)).download_url);
  const { rows } = (await (await fetch(url)).json()) as Json;
  const months = await billedCosts(platformDay().slice(0, 7), billingDay().slice(0, 7));
  expect(rows.map(({ month, cost }: Json) => [month, cost])).toEqual(months.map(({ month, amount }) => [month, amount]));
});
