/** One value of a series of equal steps, such as days. Null if the step has no value. */
export interface TrendPoint {
  date: string;
  value: number | null;
}

/** An expected value, and the range that contains the actual value with a probability of 95 %. */
export interface Forecast {
  /** Number of steps after the last point, from 1. */
  ahead: number;
  value: number;
  low: number;
  high: number;
}

/** A value that is far from what the other values suggest. */
export interface Anomaly {
  date: string;
  value: number;
  /** Value that the other points suggest. */
  expected: number;
  /** Distance from the expected value, in robust standard deviations. Negative if the value is lower. */
  score: number;
}

export interface TrendResult {
  /** Change from one step to the next, by least squares. */
  slope: number;
  /** Average of the values. */
  mean: number;
  forecast: Forecast[];
  anomalies: Anomaly[];
}

/** Smallest number of values from which a trend is computed. */
export const TREND_POINTS_MIN = 7;
/** A value is an anomaly if its robust score is beyond this (Iglewicz and Hoaglin). */
export const ANOMALY_SCORE = 3.5;
/** The median absolute deviation of a normal distribution, in standard deviations. */
const MAD_OF_NORMAL = 0.6745;
/** The mean absolute deviation of a normal distribution, in standard deviations. */
const MEAN_DEVIATION_OF_NORMAL = 0.7979;

interface Value {
  x: number;
  y: number;
  date: string;
}

/**
 * Computes the trend of a series by least squares, a forecast of `steps` steps, and anomalies. Steps without a value are
 * left out, but count as time. Returns null for fewer than `TREND_POINTS_MIN` values.
 */
export function trendOf(points: readonly TrendPoint[], steps: number): TrendResult | null {
  const values = points.flatMap(({ date, value }, x): Value[] => (value === null ? [] : [{ x, y: value, date }]));
  if (values.length < TREND_POINTS_MIN) return null;
  const line = leastSquares(values);
  return {
    slope: line.slope,
    mean: meanOf(values.map(({ y }) => y)),
    forecast: Array.from({ length: steps }, (_, index) => ({ ahead: index + 1, ...line.predict(points.length + index) })),
    anomalies: anomaliesOf(values),
  };
}

/** Returns the change from `before` to `now` in percent. Null if one of them is unknown, or `before` is 0. */
export function changePercent(before: number | null, now: number | null): number | null {
  return before === null || now === null || before === 0 ? null : (100 * (now - before)) / Math.abs(before);
}

/** Fits a line. `predict` returns its value at `x`, with the range that contains a single value with a probability of 95 %. */
function leastSquares(values: readonly Value[]) {
  const count = values.length;
  const meanX = meanOf(values.map(({ x }) => x));
  const meanY = meanOf(values.map(({ y }) => y));
  const spread = totalOf(values.map(({ x }) => (x - meanX) ** 2));
  const slope = totalOf(values.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread;
  const at = (x: number): number => meanY + slope * (x - meanX);
  const deviation = Math.sqrt(totalOf(values.map(({ x, y }) => (y - at(x)) ** 2)) / (count - 2));
  const factor = studentQuantile(count - 2);
  return {
    slope,
    predict(x: number): { value: number; low: number; high: number } {
      const value = at(x);
      const margin = factor * deviation * Math.sqrt(1 + 1 / count + (x - meanX) ** 2 / spread);
      return { value, low: value - margin, high: value + margin };
    },
  };
}

/**
 * Finds values that are far from the line with the median slope (Theil and Sen). Unlike least squares, a single extreme
 * value does not move this line, so it cannot hide itself.
 */
function anomaliesOf(values: readonly Value[]): Anomaly[] {
  const slopes = values.flatMap((one, index) => values.slice(index + 1).map((other) => (other.y - one.y) / (other.x - one.x)));
  const slope = medianOf(slopes);
  const intercept = medianOf(values.map(({ x, y }) => y - slope * x));
  const distances = values.map(({ x, y }) => y - (intercept + slope * x));
  const scale = scaleOf(distances, Math.max(...values.map(({ y }) => Math.abs(y))));
  if (scale === 0) return [];
  return values.flatMap(({ date, y }, index): Anomaly[] => {
    const distance = distances[index] as number;
    const score = distance / scale;
    return Math.abs(score) > ANOMALY_SCORE ? [{ date, value: y, expected: y - distance, score }] : [];
  });
}

/**
 * Estimates the standard deviation of the distances by their median, which extreme values do not change. If more than half
 * of the distances are equal, the median is 0, and the mean is used. `size` is the largest value; smaller differences than
 * the precision of numbers count as 0.
 */
function scaleOf(distances: readonly number[], size: number): number {
  const middle = medianOf(distances);
  const deviations = distances.map((distance) => Math.abs(distance - middle));
  const noise = size * 1e-9;
  const median = medianOf(deviations);
  if (median > noise) return median / MAD_OF_NORMAL;
  const mean = meanOf(deviations);
  return mean > noise ? mean / MEAN_DEVIATION_OF_NORMAL : 0;
}

/** The 97.5 % quantile of the normal distribution. */
const NORMAL = 1.959963984540054;

/**
 * Returns the 97.5 % quantile of Student's t distribution, by the expansion of Cornish and Fisher. The error is less than
 * 0.2 % from 5 degrees of freedom.
 */
export function studentQuantile(degrees: number): number {
  const z = NORMAL;
  return (
    z +
    (z ** 3 + z) / (4 * degrees) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3)
  );
}

const totalOf = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const meanOf = (numbers: readonly number[]): number => totalOf(numbers) / numbers.length;

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2;
}
