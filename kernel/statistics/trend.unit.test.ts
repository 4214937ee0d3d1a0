import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ANOMALY_SCORE, changePercent, studentQuantile, TREND_POINTS_MIN, type TrendPoint, trendOf } from './trend.ts';

const pointsOf = (values: readonly (number | null)[]): TrendPoint[] => values.map((value, index) => ({ date: `day ${index}`, value }));
const present = (values: readonly (number | null)[]) => values.flatMap((y, x) => (y === null ? [] : [{ x, y }]));
const number = fc.double({ min: -1e4, max: 1e4, noNaN: true });
const series = fc.array(fc.option(number, { freq: 5 }), { minLength: 1, maxLength: 60 });
const isClose = (one: number, other: number, scale = 1): boolean => Math.abs(one - other) <= 1e-6 * Math.max(1, scale, Math.abs(other));

/** The line by the normal equations, which are solved by Cramer's rule. */
function lineOf(values: readonly (number | null)[]) {
  const found = present(values);
  const [n, sx, sy, sxx, sxy] = [0, 1, 2, 3, 4].map((which) =>
    found.reduce((sum, { x, y }) => sum + ([1, x, y, x * x, x * y][which] as number), 0),
  ) as [number, number, number, number, number];
  const determinant = n * sxx - sx * sx;
  return { intercept: (sy * sxx - sx * sxy) / determinant, slope: (n * sxy - sx * sy) / determinant };
}

test('a trend with fewer than 7 values is null, and the slope and forecast of others solve the normal equations', () => {
  fc.assert(
    fc.property(series, fc.integer({ min: 0, max: 30 }), (values, steps) => {
      const found = trendOf(pointsOf(values), steps);
      if (present(values).length < TREND_POINTS_MIN) return found === null;
      const { intercept, slope } = lineOf(values);
      const { forecast, mean, slope: actual } = found as NonNullable<typeof found>;
      const all = present(values);
      return (
        isClose(actual, slope, 1e4) &&
        isClose(mean, all.reduce((sum, { y }) => sum + y, 0) / all.length, 1e4) &&
        forecast.length === steps &&
        forecast.every(({ ahead, value, low, high }, index) => {
          const expected = intercept + slope * (values.length - 1 + ahead);
          return (
            ahead === index + 1 && isClose(value, expected, 1e5) && low <= value && value <= high && isClose(high - value, value - low, 1e5)
          );
        })
      );
    }),
  );
});

test('values on a line have their slope, a forecast on the line without a margin, and no anomalies', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1000, max: 1000 }),
      fc.integer({ min: -1000, max: 1000 }),
      fc.array(fc.boolean(), { minLength: 7, maxLength: 40 }),
      (start, slope, gaps) => {
        const values = gaps.map((isGap, x) => (isGap && x >= 7 ? null : start + slope * x));
        const found = trendOf(pointsOf(values), 3);
        expect(found?.slope).toBeCloseTo(slope, 6);
        expect(found?.anomalies).toEqual([]);
        for (const { ahead, value, low, high } of found?.forecast ?? []) {
          expect(value).toBeCloseTo(start + slope * (values.length - 1 + ahead), 4);
          expect(high - low).toBeLessThan(1e-3);
        }
      },
    ),
  );
});

test('the range of a forecast contains about 95 % of the values that continue a noisy line', () => {
  // a generator with a seed, so that the test has the same result in each run
  let state = 42;
  const uniform = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return (state + 1) / (2 ** 31 + 1);
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  let within = 0;
  const runs = 4000;
  for (let run = 0; run < runs; run += 1) {
    const [next] = trendOf(pointsOf(Array.from({ length: 12 }, (_, x) => 5 + 2 * x + normal())), 1)?.forecast ?? [];
    const actual = 5 + 2 * 12 + normal();
    if (next && next.low <= actual && actual <= next.high) within += 1;
  }
  expect(within / runs).toBeGreaterThan(0.935);
  expect(within / runs).toBeLessThan(0.965);
});

/** The robust score of each value, computed from sorted lists. */
function scoresOf(values: readonly (number | null)[]): { x: number; score: number }[] {
  const found = present(values);
  const middle = (list: number[]): number => {
    const sorted = [...list].sort((one, other) => one - other);
    return ((sorted[Math.ceil(sorted.length / 2) - 1] as number) + (sorted[Math.floor(sorted.length / 2)] as number)) / 2;
  };
  const slopes: number[] = [];
  for (const one of found) for (const other of found) if (other.x > one.x) slopes.push((other.y - one.y) / (other.x - one.x));
  const slope = middle(slopes);
  const intercept = middle(found.map(({ x, y }) => y - slope * x));
  const distances = found.map(({ x, y }) => y - slope * x - intercept);
  const center = middle(distances);
  const mad = middle(distances.map((one) => Math.abs(one - center)));
  return mad < 1e-3 ? [] : found.map(({ x }, index) => ({ x, score: (0.6745 * (distances[index] as number)) / mad }));
}

test('the anomalies are the values whose robust score is beyond 3.5', () => {
  let compared = 0;
  const whole = fc.integer({ min: -10_000, max: 10_000 });
  fc.assert(
    fc.property(fc.array(fc.option(whole, { freq: 9 }), { minLength: 12, maxLength: 40 }), (values) => {
      const scores = scoresOf(values);
      // without a median deviation, the mean is used; a score at the limit depends on the rounding
      if (scores.length < TREND_POINTS_MIN || scores.some(({ score }) => Math.abs(Math.abs(score) - ANOMALY_SCORE) < 1e-6)) return;
      compared += 1;
      const expected = scores.filter(({ score }) => Math.abs(score) > ANOMALY_SCORE).map(({ x }) => `day ${x}`);
      expect(trendOf(pointsOf(values), 0)?.anomalies.map(({ date }) => date)).toEqual(expected);
    }),
  );
  expect(compared).toBeGreaterThan(50);
});

test('an extreme value is an anomaly, also in a rising series and in one whose other values are equal', () => {
  const rising = Array.from({ length: 30 }, (_, x) => 10 * x + (x % 3));
  rising[20] = 900;
  expect(trendOf(pointsOf(rising), 0)?.anomalies).toMatchObject([{ date: 'day 20', value: 900, expected: expect.closeTo(201, 0) }]);
  const flat = new Array<number>(30).fill(0);
  flat[3] = 8;
  expect(trendOf(pointsOf(flat), 0)?.anomalies).toMatchObject([{ date: 'day 3', value: 8, expected: 0 }]);
  expect(trendOf(pointsOf(new Array(30).fill(0.1)), 0)?.anomalies).toEqual([]);
});

// values of tables of Student's t distribution
test.each([
  [5, 2.5706],
  [7, 2.3646],
  [10, 2.2281],
  [28, 2.0484],
  [364, 1.9665],
])("the quantile of Student's t distribution with %d degrees of freedom is %d", (degrees, expected) => {
  expect(Math.abs(studentQuantile(degrees) - expected) / expected).toBeLessThan(0.002);
});

test('the change in percent is null without a value to compare with', () => {
  expect([changePercent(50, 75), changePercent(-50, -75), changePercent(50, 0)]).toEqual([50, -50, -100]);
  expect([changePercent(null, 1), changePercent(1, null), changePercent(0, 5)]).toEqual([null, null, null]);
});
