import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../kernel/values/days.ts';
import { dayAgo, keyOfAccount, readAnalytics } from '../analytics.setup.ts';
import { billedTenant, createInvoice } from '../billing.setup.ts';
import { clock, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

test('the usage equals the recorded events and the usage report of billing', async () => {
  const own = await billedTenant();
  const recorded = [
    ['voice_minutes', 1.5, 0],
    ['voice_minutes', 2.25, 3],
    ['data_gb', 0.1, 3],
    ['data_gb', 0.2, 3],
    ['api_calls', 7, 40],
  ] as const;
  const events = recorded.map(([metric, quantity, days], index) => ({
    ...{ id: `event-${index}`, service_id: own.serviceId, metric, quantity, timestamp: new Date(clock.now().getTime() - days * DAY_MS) },
  }));
  expect((await own.tenant.rest('POST', '/billing/usage', { body: { events } })).body.data.accepted).toBe(5);
  const { usage } = await readAnalytics(own.tenant, 'usage', { date_range: '30d' });
  expect(usage.total_usage).toEqual({ voice_minutes: 3.75, data_gb: 0.3, cloud_storage_gb: 0, api_calls: 0 });
  expect(usage.total_usage_before).toEqual({ voice_minutes: 0, data_gb: 0, cloud_storage_gb: 0, api_calls: 7 });
  expect(usage.by_day.filter((one: Json) => one.voice_minutes > 0)).toMatchObject([
    { voice_minutes: 2.25, data_gb: 0.3 },
    { voice_minutes: 1.5 },
  ]);
  expect(usage.by_type).toMatchObject([
    { metric: 'data_gb', usage: 0.3, unit: 'GB' },
    { metric: 'voice_minutes', usage: 3.75 },
  ]);
  expect(usage).toMatchObject({ services: [{ service_id: own.serviceId, usage: 0.3 }, { usage: 3.75 }], services_total: 2 });
  const month = (await own.tenant.rest('GET', '/billing/usage?period=current_month')).body.data;
  const same = await readAnalytics(own.tenant, 'usage', { date_range: `${month.first_day}..${month.last_day}` });
  expect(same.usage.total_usage).toEqual(month.total_usage);
  const { usage: trends } = await readAnalytics(own.tenant, 'trends');
  expect(trends.map(({ name }: Json) => name)).toEqual(['voice_minutes', 'data_gb', 'api_calls']);
  expect(trends[2]).toMatchObject({ average: 0, average_before: Number((7 / 30).toFixed(6)), change_percent: -100 });
});

test('the costs equal those of billing to the last digit', async () => {
  const own = await billedTenant();
  const month = dayAgo().slice(0, 7);
  for (const unit_price of [12.34, 0.1, 0.2]) await createInvoice(own, { quantity: 1, unit_price });
  const analysis = (await own.tenant.rest('GET', '/billing/cost-analysis')).body.data;
  const { costs } = await readAnalytics(own.tenant, 'costs', { date_range: `${month}-01..${dayAgo()}` });
  expect(costs).toMatchObject(analysis);
  expect(costs).toMatchObject({
    ...{ from_month: month, to_month: month, total: analysis.current_month.total, total_before: 0 },
    by_category: analysis.current_month.breakdown,
    by_month: [{ month, amount: analysis.current_month.total }],
    by_service: [{ service_id: own.serviceId, amount: analysis.current_month.total }],
  });
  const account = (await own.tenant.rest('GET', `/billing/cost-analysis?account_id=${own.accountId}`)).body.data;
  expect((await readAnalytics(own.tenant, 'costs', { account_id: own.accountId })).costs).toMatchObject(account);
  const single = (await readAnalytics(own.tenant, 'costs', { service_ids: own.serviceId })).costs;
  expect(single.current_month).toEqual(analysis.current_month);
  expect(single.trends).toEqual({ monthly_growth: null, cost_optimization_savings: null });
});

/** Counts requests of an organization in single hours, as if they had been sent then. Returns the hours with their counts. */
async function countedRequests({ organizationId }: Tenant, hoursAgo: readonly number[]) {
  const { usage } = (await rig()).assembly.domains.identity.core;
  const counts = hoursAgo.map((hours, index) => ({
    at: new Date(clock.now().getTime() - hours * HOUR_MS),
    requests: 10 + index,
    weight: 100 + 3 * index,
  }));
  for (const { at, ...count } of counts) usage.count(organizationId, count, at);
  await usage.flush();
  return counts;
}

test('the API requests equal the counters of the usage report of the organization', async () => {
  const tenant = await (await rig()).organization({ plan: 'custom' });
  await countedRequests(tenant, [0, 1, 2, 7, 23, 30, 50, 300]);
  const [today, yesterday] = [dayAgo(), dayAgo(1)];
  const { data } = await tenant.graphql(
    `query ($month: String!) {
      rateLimitUsage { usageHistory { hour requests } month { requests } }
      month: analytics(dateRange: $month) { apiRequests { requests byDay { requests } } }
      days: analytics(dateRange: "2d") { apiRequests { byDay { date weightedRequests } } }
    }`,
    { month: `${today.slice(0, 7)}-01..${today}` },
  );
  const { usageHistory, month } = data.rateLimitUsage;
  expect(month.requests).toBeGreaterThan(0);
  expect(data.month.apiRequests.requests).toBe(month.requests);
  const sums = data.month.apiRequests.byDay.reduce((sum: number, one: Json) => sum + one.requests, 0);
  expect(sums).toBe(month.requests);
  const inHistory = usageHistory
    .filter(({ hour }: Json) => hour.startsWith(today))
    .reduce((sum: number, one: Json) => sum + one.requests, 0);
  expect(data.days.apiRequests.byDay).toMatchObject([{ date: yesterday }, { date: today, weightedRequests: inHistory }]);
});

test.each(['UTC', 'America/New_York', 'Asia/Kolkata'])(
  'API requests count for the day in %s in which their hour begins',
  async (timezone) => {
    const tenant = await (await rig()).organization({ plan: 'custom' });
    const counts = await countedRequests(tenant, [3, 9, 15, 20, 26, 49, 80, 100, 24 * 9 + 5]);
    const localDay = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
    const wanted = new Map<string, number>();
    for (const { at, requests } of counts) {
      const date = localDay.format(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
      wanted.set(date, (wanted.get(date) ?? 0) + requests);
    }
    const { period, api_requests: found } = await readAnalytics(tenant, 'usage', { date_range: '7d', timezone });
    const days = found.by_day.map(({ date, requests }: Json) => [date, requests]);
    expect(days).toHaveLength(7);
    // the request of this test is not written yet
    expect(days).toEqual(days.map(([date]: [string]) => [date, wanted.get(date) ?? 0]));
    expect(found.before.requests).toBe(counts.at(-1)?.requests);
    expect(period.before_first_day <= dayAgo(9)).toBe(true);
  },
);

test('an analysis of accounts or services, and one of a time whose hours are not kept, has no API requests', async () => {
  const { tenant, accountId, serviceId } = await billedTenant();
  const limited = await keyOfAccount(tenant, accountId, 'analytics:read');
  for (const [by, query] of [
    [tenant, { account_id: accountId }],
    [tenant, { service_ids: serviceId }],
    [tenant, { type: 'internet' }],
    [tenant, { date_range: '2020-01-01..2020-01-31' }],
    [limited, {}],
  ] as [Tenant, Record<string, string>][])
    expect((await readAnalytics(by, 'usage', query)).api_requests, JSON.stringify(query)).toBeNull();
  const year = (await readAnalytics(tenant, 'usage', { date_range: '366d' })).api_requests;
  expect(year.by_day).toHaveLength(366);
  expect(year.before).toBeNull();
});
