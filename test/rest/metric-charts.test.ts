import { beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../kernel/values/days.ts';
import { billedTenant } from '../billing.setup.ts';
import { chart, send, upToDate } from '../metrics.setup.ts';
import { type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

/** Returns the values that are not null, for a metric with a single series. */
const valuesOf = async (by: Tenant, name: string, query: Record<string, string> = {}): Promise<number[]> => {
  const { series, ...rest } = await chart(by, name, query);
  expect(series, JSON.stringify(rest)).toHaveLength(1);
  return series[0].values.filter((value: number | null) => value !== null);
};

describe('charts of a metric', () => {
  test('each aggregation combines the samples of a time step to one value, with the same result from samples and from rollups', async () => {
    const tenant = await platform.organization();
    await send(
      tenant,
      'load',
      Array.from({ length: 100 }, (_, n) => [n * 10 + 1000, n + 1] as const),
    );
    const expected = { avg: 50.5, min: 1, max: 100, sum: 5050, count: 100, last: 1 };
    const check = async (): Promise<void> => {
      for (const [aggregation, value] of Object.entries(expected))
        expect(await valuesOf(tenant, 'load', { aggregation, step: '31d', period: '1d' }), aggregation).toEqual([value]);
      for (const [aggregation, exact] of Object.entries({ p50: 50, p90: 90, p95: 95, p99: 99 })) {
        const [value = 0] = await valuesOf(tenant, 'load', { aggregation, step: '31d', period: '1d' });
        expect(Math.abs(value - exact) / exact, aggregation).toBeLessThanOrEqual(0.0101);
      }
    };
    await check();
    await platform.advance(HOUR_MS);
    await upToDate(tenant, 'load');
    await check();
  });

  test('values nearer to zero than 1e-130 are stored as zero, and charts combine the largest and the smallest values', async () => {
    const tenant = await platform.organization();
    const extremes = [1e-310, -3e-200, 2e-130, 1e100, 1e100];
    await send(
      tenant,
      'extreme',
      extremes.map((value, n) => [(1 + n) * MINUTE_MS, value] as const),
    );
    const again = [3e-200, 0].map((value) => ({ metric: 'again', at: platform.clock.now(), value }));
    const { body } = await tenant.rest('POST', '/monitoring/samples', { body: { samples: again } });
    expect(body.data).toMatchObject({ accepted: 1, duplicates: 1, refused: [] });
    const check = async (): Promise<void> => {
      for (const aggregation of ['avg', 'min', 'max', 'sum', 'last', 'p50', 'p99'])
        for (const step of ['1m', '31d']) await valuesOf(tenant, 'extreme', { aggregation, step, period: '3h' });
      expect(await valuesOf(tenant, 'extreme', { aggregation: 'sum', step: '1m', period: '3h' })).toEqual([1e100, 1e100, 2e-130, 0, 0]);
    };
    await check();
    await platform.advance(HOUR_MS);
    await upToDate(tenant, 'extreme');
    await check();
  });

  test('a counter has an increase and a rate, even over restarts, and has no percentiles', async () => {
    const tenant = await platform.organization();
    const total = [10, 20, 25, 5, 8].map((value, n) => [(5 - n) * MINUTE_MS, value] as const);
    await send(tenant, 'total', total, { type: 'counter' });
    const increases = await valuesOf(tenant, 'total', { aggregation: 'increase', step: '1m', period: '1h' });
    expect(increases).toEqual([0, 10, 5, 5, 3]);
    expect(await valuesOf(tenant, 'total', { step: '1m', period: '1h' })).toEqual(increases.map((increase) => increase / 60));
    expect(await chart(tenant, 'total', { aggregation: 'p95' })).toMatchObject({ status: 400, details: { field: 'aggregation' } });
    await send(tenant, 'load', [[1000, 1]]);
    expect(await chart(tenant, 'load', { aggregation: 'rate' })).toMatchObject({ status: 400, details: { field: 'aggregation' } });
  });

  test('series in a chart are grouped by labels and service, filtered by labels, and limited in number', async () => {
    const { tenant, serviceId } = await billedTenant();
    await send(tenant, 'jobs', [[1000, 1]], { labels: { queue: 'mail', host: 'a' }, service_id: serviceId });
    await send(tenant, 'jobs', [[1000, 2]], { labels: { queue: 'mail', host: 'b' } });
    await send(tenant, 'jobs', [[1000, 4]], { labels: { queue: 'sms=1', host: 'b' } });
    const sums = async (query: Record<string, string>): Promise<Json> => {
      const { series, series_total: total } = await chart(tenant, 'jobs', { aggregation: 'sum', step: '31d', ...query });
      return {
        total,
        series: series.map(({ values, ...one }: Json) => ({
          ...one,
          sum: values.reduce((a: number, b: number | null) => a + (b ?? 0), 0),
        })),
      };
    };
    expect(await sums({})).toEqual({ total: 1, series: [{ service_id: null, labels: {}, sum: 7 }] });
    expect(await sums({ group_by: 'queue' })).toEqual({
      total: 2,
      series: [
        { service_id: null, labels: { queue: 'mail' }, sum: 3 },
        { service_id: null, labels: { queue: 'sms=1' }, sum: 4 },
      ],
    });
    expect(await sums({ group_by: 'host,service_id', limit: '1' })).toEqual({
      total: 2,
      series: [{ service_id: serviceId, labels: { host: 'a' }, sum: 1 }],
    });
    expect((await sums({ labels: 'queue=mail,host=b' })).series).toMatchObject([{ sum: 2 }]);
    expect((await sums({ labels: 'queue=sms=1' })).series).toMatchObject([{ sum: 4 }]);
    expect((await sums({ service_id: serviceId })).series).toMatchObject([{ sum: 1 }]);
    expect(await sums({ labels: 'queue=fax' })).toEqual({ total: 0, series: [] });
  });

  test('time steps without samples have the value that the argument fill states', async () => {
    const tenant = await platform.organization();
    await send(tenant, 'load', [[10 * MINUTE_MS, 5]]);
    const tail = async (fill: string): Promise<Json> => (await chart(tenant, 'load', { step: '1m', period: '1h', fill })).series[0].values;
    expect(new Set(await tail('none'))).toEqual(new Set([null, 5]));
    expect(new Set(await tail('zero'))).toEqual(new Set([0, 5]));
    const previous = await tail('previous');
    expect([previous[0], previous.at(-1)]).toEqual([null, 5]);
  });

  test.each([
    [{ step: '1s' }, 'step'],
    [{ step: '7s' }, 'step'],
    [{ step: '45s' }, 'step'],
    [{ step: '90s' }, 'step'],
    [{ step: '32d' }, 'step'],
    [{ step: '1m', period: '30d' }, 'step'],
    [{ step: '15s', period: '5d' }, 'step'],
    [{ period: '401d' }, 'period'],
    [{ period: 'soon' }, 'period'],
    [{ to: '2026-01-01' }, 'from'],
    [{ from: '2999-01-01' }, 'from'],
    [{ from: '2026-01-02', to: '2026-01-01' }, 'to'],
    [{ from: '2026-01-02', period: '1d' }, 'period'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ labels: 'mail' }, 'labels'],
    [{ group_by: 'a b' }, 'group_by'],
    [{ limit: '51' }, 'limit'],
  ])('the chart query %j is refused with an error in %s', async (query, field) => {
    const tenant = await platform.organization();
    await send(tenant, 'load', [[1000, 1]]);
    expect(await chart(tenant, 'load', query as never)).toMatchObject({ status: 400, code: 'INVALID_PARAMETERS', details: { field } });
  });

  test('reading an unknown metric or a metric of another organization returns 404', async () => {
    const [tenant, other] = [await platform.organization(), await platform.organization()];
    await send(other, 'secret/load', [[1000, 1]]);
    expect(await chart(tenant, 'secret/load')).toMatchObject({ status: 404, code: 'RESOURCE_NOT_FOUND', details: { resource: 'metric' } });
    expect(await chart(other, 'secret/load')).toMatchObject({ name: 'secret/load' });
  });
});
