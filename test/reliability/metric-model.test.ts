import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/values/days.ts';
import { Rollups } from '../../subgraphs/monitoring/rollups/rollups.ts';
import { samplePartitions } from '../../subgraphs/monitoring/samples/sample-partitions.ts';
import { chart, rolledUp, upToDate } from '../metrics.setup.ts';
import { onRig, type Rig, start } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

const clock = new TestClock();
let platform: Rig;
beforeAll(async () => {
  clock.set(new Date('2026-10-01T05:00:00Z'));
  platform = await start({}, clock);
});
afterAll(() => platform.close());

/** A sample whose time is in milliseconds before the first request. `delay` is the number of the request that sends it. */
interface Planned {
  before: number;
  value: number;
  delay: number;
}

const REQUESTS = 5;
const planned = (value: fc.Arbitrary<number>): fc.Arbitrary<Planned[]> =>
  fc.uniqueArray(
    fc.record({ before: fc.integer({ min: 0, max: 50 * MINUTE_MS }), value, delay: fc.integer({ min: 0, max: REQUESTS - 1 }) }),
    { selector: ({ before }) => before, minLength: 20, maxLength: 300 },
  );

const gauge = fc.oneof(
  fc.constant(0),
  fc.double({ min: -1e6, max: 1e6, noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: 0.001, max: 10, noNaN: true }),
);
const counter = fc.integer({ min: 0, max: 1000 });

/** Returns the rollups of another process. Each of its statements may fail, as if the process was killed. */
function rollupsThatFail(random: () => number): Rollups {
  const store = platform.assembly.stores.monitoring;
  const rows: typeof store.rows = {
    ...store.rows,
    query: (text, values, options) => {
      if (random() < 0.3) throw new Error('killed');
      return store.rows.query(text, values, options);
    },
  };
  const log = createLogger({ level: 'silent' });
  return new Rollups({ ...store, rows, clock, log, partitions: samplePartitions(store.orm) });
}

const nearestRank = (values: readonly number[], percent: number): number =>
  values.toSorted((one, other) => one - other)[Math.max(1, Math.ceil((percent * values.length) / 100)) - 1] as number;

/** Returns the expected values of each time step, computed from the samples. */
function model(samples: readonly (readonly [number, number])[], of: (values: number[]) => number, stepMs: number): Map<number, number> {
  const steps = Map.groupBy(samples, ([at]) => Math.floor(at / stepMs) * stepMs);
  return new Map([...steps].map(([step, its]) => [step, of(its.map(([, value]) => value))]));
}

/** Returns the increases of a counter, each with the time of the later sample. */
const increments = (samples: readonly (readonly [number, number])[]): [number, number][] =>
  samples.map(([at, value], index) => {
    const before = samples[index - 1]?.[1];
    return [at, before === undefined ? 0 : value >= before ? value - before : value];
  });

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

async function stepsOf(by: Tenant, name: string, query: Record<string, string>): Promise<Map<number, number>> {
  const { times, series, ...rest }: Json = await chart(by, name, query);
  if (!series) throw new Error(JSON.stringify(rest));
  return new Map(
    times.flatMap((time: string, index: number) => {
      const value = series[0]?.values[index];
      return value === null || value === undefined ? [] : [[Date.parse(time), value]];
    }),
  );
}

function expectClose(found: ReadonlyMap<number, number>, wanted: ReadonlyMap<number, number>, error: number, label: string): void {
  expect([...found.keys()].toSorted(), label).toEqual([...wanted.keys()].toSorted());
  for (const [step, value] of wanted)
    expect(Math.abs((found.get(step) as number) - value), `${label} at ${step}`).toBeLessThanOrEqual(Math.abs(value) * error + 1e-9);
}

describe('charts compared with a model that has all samples', () => {
  test(
    'aggregations equal the aggregations of all samples, even if samples arrive late and computations are repeated or interrupted',
    { timeout: 300_000 },
    () =>
      onRig(platform, () =>
        fc.assert(
          fc.asyncProperty(
            planned(gauge),
            planned(counter),
            fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
            async (load, total, stream) => {
              const random = (): number => stream.next().value as number;
              const tenant = await platform.organization({ plan: 'custom' });
              const start = clock.now().getTime();
              const toSample =
                (metric: string, type: string) =>
                ({ before, value }: Planned) => ({ metric, type, value, at: new Date(start - before) });
              const failing = rollupsThatFail(random);
              for (let request = 0; request < REQUESTS; request += 1) {
                // each request repeats some samples of earlier requests
                const sent = ({ delay }: Planned): boolean => delay === request || (delay < request && random() < 0.2);
                const samples = [
                  ...load.filter(sent).map(toSample('load', 'gauge')),
                  ...total.filter(sent).map(toSample('total', 'counter')),
                ];
                if (samples.length > 0) {
                  const { body } = await tenant.rest('POST', '/monitoring/samples', { body: { samples } });
                  expect(body.data, JSON.stringify(body)).toMatchObject({ refused: [] });
                }
                await platform.advance(Math.floor(random() * 2 * MINUTE_MS));
                await Promise.allSettled([failing.run(), failing.run()]);
              }
              await platform.advance(20 * MINUTE_MS);
              await rolledUp(tenant);
              await upToDate(tenant, 'load');
              const inOrder = (list: readonly Planned[]) =>
                list.map(({ before, value }) => [start - before, value] as const).toSorted(([one], [other]) => one - other);
              const [loads, totals] = [inOrder(load), inOrder(total)];
              const query = { from: new Date(start - HOUR_MS).toISOString() };
              for (const [step, ms] of [
                ['1m', MINUTE_MS],
                ['15m', 15 * MINUTE_MS],
                ['2h', 2 * HOUR_MS],
              ] as const) {
                const wanted: [string, (values: number[]) => number, number][] = [
                  ['sum', sum, 1e-9],
                  ['count', (values) => values.length, 0],
                  ['min', (values) => Math.min(...values), 0],
                  ['max', (values) => Math.max(...values), 0],
                  ['last', (values) => values.at(-1) as number, 0],
                  ['p50', (values) => nearestRank(values, 50), 0.0100001],
                  ['p95', (values) => nearestRank(values, 95), 0.0100001],
                  ['p99', (values) => nearestRank(values, 99), 0.0100001],
                ];
                for (const [aggregation, of, error] of wanted)
                  expectClose(
                    await stepsOf(tenant, 'load', { ...query, step, aggregation }),
                    model(loads, of, ms),
                    error,
                    `${aggregation} ${step}`,
                  );
                const increases = await stepsOf(tenant, 'total', { ...query, step, aggregation: 'increase' });
                expectClose(increases, model(increments(totals), sum, ms), 0, `increase ${step}`);
              }
            },
          ),
          { numRuns: Number(process.env.MODEL_RUNS ?? 4), endOnFailure: true },
        ),
      ),
  );
});

describe('days over changes of the clock', () => {
  test.each([
    // begins 30 minutes of summer time on 4 October
    ['Australia/Lord_Howe', '2026-10-02T12:00:00Z', ['2026-10-03', 48], ['2026-10-04', 47], ['2026-10-05', 48]],
    // ends summer time on 25 October
    ['Europe/Berlin', '2026-10-23T20:00:00Z', ['2026-10-24', 48], ['2026-10-25', 50], ['2026-10-26', 48]],
    // ends summer time on 1 November
    ['America/New_York', '2026-10-31T03:00:00Z', ['2026-10-31', 48], ['2026-11-01', 50], ['2026-11-02', 48]],
  ] as const)('a day in %s contains the samples between two local midnights', { timeout: 120_000 }, async (timezone, begin, ...counted) => {
    const days = counted as readonly (readonly [string, number])[];
    clock.set(new Date(begin));
    await onRig(platform, async () => {
      const tenant = await platform.organization({ plan: 'custom' });
      // one sample in each half hour of four days, sent an hour at a time
      for (let hour = 0; hour < 96; hour += 1) {
        const at = Date.parse(begin) + hour * HOUR_MS;
        clock.set(new Date(at + HOUR_MS));
        const samples = [5, 35].map((minute) => ({ metric: 'ticks', at: new Date(at + minute * MINUTE_MS), value: 1 }));
        const { body } = await tenant.rest('POST', '/monitoring/samples', { body: { samples } });
        expect(body.data, JSON.stringify(body)).toMatchObject({ accepted: 2 });
      }
      await platform.advance(20 * MINUTE_MS);
      await rolledUp(tenant);
      await upToDate(tenant, 'ticks');
      const found = await stepsOf(tenant, 'ticks', { step: '1d', period: '5d', aggregation: 'count', timezone });
      const localDay = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
      const counts = new Map([...found].map(([at, count]) => [localDay.format(at), count]));
      expect(days.map(([day]) => [day, counts.get(day)])).toEqual(days);
    });
  });
});
