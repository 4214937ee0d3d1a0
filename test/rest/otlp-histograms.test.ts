import { beforeAll, describe, expect, test } from 'vitest';
import { createAlert, pass } from '../alerts.setup.ts';
import { chart, rolledUp, total, upToDate } from '../metrics.setup.ts';
import { metricsRequest, sendOtlp } from '../otlp.setup.ts';
import { type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const DELTA = 1;
const CUMULATIVE = 2;
const BOUNDS = [10, 20, 50, 100];

/** A data point of a histogram at a time in milliseconds before now. */
const pointAt = (before: number, bucketCounts: readonly number[], sum: number, more: Json = {}): Json => ({
  timeUnixNano: `${platform.clock.now().getTime() - before}000000`,
  count: String(bucketCounts.reduce((total, one) => total + one, 0)),
  ...{ sum, bucketCounts: bucketCounts.map(String), explicitBounds: BOUNDS, ...more },
});

const send = (by: Tenant, aggregationTemporality: number, ...dataPoints: Json[]) =>
  sendOtlp(by, 'metrics', metricsRequest([{ name: 'took', unit: 'ms', histogram: { aggregationTemporality, dataPoints } }]));

const MINUTE = 60_000;

describe('histograms over OTLP', () => {
  test('a cumulative histogram counts the difference from the sample before, and starts again after a restart', async () => {
    const tenant = await platform.organization();
    const points = [
      pointAt(50 * MINUTE, [5, 0, 0, 0, 0], 25),
      pointAt(40 * MINUTE, [5, 10, 0, 0, 0], 175),
      // a restart: only these three
      pointAt(30 * MINUTE, [0, 0, 3, 0, 0], 90, { min: 21, max: 40 }),
      pointAt(10 * MINUTE, [0, 0, 3, 1, 0], 150, { min: 21, max: 60 }),
    ];
    const expected = { count: 14, sum: 300, min: 10, max: 60 };
    const check = async (query: Record<string, string> = {}): Promise<void> => {
      for (const [aggregation, value] of Object.entries(expected))
        expect(Math.abs(((await total(tenant, 'took', aggregation, query)) as number) - value), aggregation).toBeLessThanOrEqual(
          value * 0.08,
        );
      expect(await total(tenant, 'took', 'p99', query)).toBe(60);
    };
    // the second sample comes late
    for (const point of [points[0], points[2], points[3], points[1]] as Json[])
      expect(await send(tenant, CUMULATIVE, point)).toMatchObject({ status: 200, partial: undefined });
    await rolledUp(tenant);
    await check();
    await platform.advance(2 * MINUTE);
    await upToDate(tenant, 'took');
    await check();
    const { series } = await chart(tenant, 'took', { period: '2h', step: '5m', aggregation: 'count' });
    expect(series[0].values.filter((value: number | null) => value !== null)).toEqual([10, 3, 1]);
  });

  test('a late sample takes values away from the minute of the next sample', async () => {
    const tenant = await platform.organization();
    await send(tenant, CUMULATIVE, pointAt(50 * MINUTE, [5, 0, 0, 0, 0], 25), pointAt(20 * MINUTE, [9, 0, 0, 0, 0], 45));
    await rolledUp(tenant);
    expect(await total(tenant, 'took', 'count')).toBe(4);
    await send(tenant, CUMULATIVE, pointAt(30 * MINUTE, [9, 0, 0, 0, 0], 45));
    await rolledUp(tenant);
    expect(await total(tenant, 'took', 'count')).toBe(4);
    const { series } = await chart(tenant, 'took', { period: '2h', step: '1m', aggregation: 'count' });
    expect(series[0].values.filter((value: number | null) => value !== null)).toEqual([4]);
  });

  test('a histogram that contradicts itself is rejected, and so are samples of another type', async () => {
    const tenant = await platform.organization();
    expect(await send(tenant, DELTA, pointAt(1000, [1, 2, 3, 4, 5], 500))).toMatchObject({ status: 200, partial: undefined });
    for (const [why, point] of [
      ['buckets without bounds', pointAt(900, [1, 2], 3)],
      ['bounds that fall', pointAt(900, [1, 2, 3], 3, { explicitBounds: [2, 1] })],
      ['a bound that is no number', pointAt(900, [1, 2, 3], 3, { explicitBounds: ['NaN', 1] })],
      ['another count', pointAt(900, [1, 2, 3, 4, 5], 3, { count: '7' })],
      ['a sum that is no number', pointAt(900, [1, 2, 3, 4, 5], 3, { sum: 'NaN' })],
      ['an infinite maximum', pointAt(900, [1, 2, 3, 4, 5], 3, { max: 'Infinity' })],
      ['too large a count', pointAt(900, [], 3, { count: '18446744073709551615', explicitBounds: [] })],
      ['too many buckets', pointAt(900, new Array(600).fill(0), 0, { explicitBounds: Array.from({ length: 599 }, (_, n) => n) })],
    ] as const)
      expect((await send(tenant, DELTA, point)).partial, why).toMatchObject({
        rejected: 1,
        message: expect.stringMatching(/invalid_value/),
      });
    expect((await send(tenant, 0, pointAt(900, [0, 0, 0, 0, 0], 0))).partial?.message).toMatch(/aggregation_temporality/);
    expect((await send(tenant, CUMULATIVE, pointAt(900, [0, 0, 0, 0, 0], 0))).partial?.message).toMatch(/conflicting_type/);
    const exponential = (more: Json): Json => ({ timeUnixNano: pointAt(900, [], 0).timeUnixNano, ...more });
    for (const point of [
      { count: '1', scale: -2_000_000_000, positive: { offset: 1, bucketCounts: ['1'] } },
      { count: '2', scale: 0, positive: { bucketCounts: ['1'] } },
    ]) {
      const metrics = [{ name: 'huge', exponentialHistogram: { aggregationTemporality: DELTA, dataPoints: [exponential(point)] } }];
      expect((await sendOtlp(tenant, 'metrics', metricsRequest(metrics))).partial?.message).toMatch(/invalid_value/);
    }
    const { body } = await tenant.rest('POST', '/monitoring/samples', { body: { samples: [{ metric: 'took', value: 1 }] } });
    expect(body.data.refused).toMatchObject([{ code: 'conflicting_type' }]);
    expect(await total(tenant, 'took', 'count')).toBe(15);
  });

  test('a histogram without buckets has a count and an average, but no percentiles', async () => {
    const tenant = await platform.organization();
    await send(tenant, DELTA, pointAt(1000, [], 30, { count: '3', explicitBounds: [] }), pointAt(900, [0, 0, 0, 0, 0], 0));
    expect(await total(tenant, 'took', 'count')).toBe(3);
    expect(await total(tenant, 'took', 'avg')).toBe(10);
    expect(
      (await chart(tenant, 'took', { period: '1h', aggregation: 'p95' })).series[0].values.every((value: unknown) => value === null),
    ).toBe(true);
  });

  test('an alert compares a percentile of the measured values, and not of the samples', async () => {
    const tenant = await platform.organization();
    const { id } = await createAlert(tenant, { metric: 'took', aggregation: 'p99', threshold: 80, window_seconds: 300 });
    // the average of each sample is low; only complete minutes are evaluated
    await send(tenant, DELTA, pointAt(100, [95, 0, 0, 0, 0], 500));
    expect((await pass(tenant, id, 2 * MINUTE)).state).toBe('ok');
    await send(tenant, DELTA, pointAt(100, [95, 0, 0, 5, 0], 1000));
    expect((await pass(tenant, id, 2 * MINUTE)).state).toBe('firing');
  });

  test('a histogram is charged as ten samples', async () => {
    const tenant = await platform.organization({ plan: 'developer' });
    const points = Array.from({ length: 999 }, (_, n) => pointAt(n + 1, [1, 0, 0, 0, 0], 1));
    expect((await send(tenant, DELTA, ...points)).status).toBe(200);
    expect((await send(tenant, DELTA, ...[1, 2].map((n) => pointAt(2000 + n, [1, 0, 0, 0, 0], 1)))).status).toBe(429);
  });
});
