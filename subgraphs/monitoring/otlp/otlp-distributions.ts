import { type Refusal, refusal } from '../samples/refusals.ts';
import type { Distribution } from '../samples/sample.ts';
import { bucketIndex, GREATEST } from '../samples/sketch.ts';
import type { Buckets, ExponentialPoint, HistogramPoint } from './otlp-messages.ts';

/** Maximum number of buckets of a data point. The clients of OpenTelemetry send at most 160 of each sign. */
const MAX_BUCKETS = 500;
/** Maximum number of buckets that a distribution has, roughly. */
const MAX_PARTS = 300;
/**
 * In which order the values of a wide bucket are put into its ten equal parts, from the middle. A part never loses a value when
 * the bucket gets more, so cumulative distributions can be subtracted.
 */
const ORDER = [4, 7, 1, 9, 2, 5, 0, 8, 3, 6];
const MAX_COUNT = BigInt(Number.MAX_SAFE_INTEGER);

const invalid = (reason: string): Refusal => refusal('invalid_value', reason);
const isStorable = (value: number): boolean => Math.abs(value) <= GREATEST;

/** Number of measured values that are close to one value. */
type Part = readonly [value: number, amount: number];

/**
 * Returns the distribution of an explicit histogram. The values of a bucket are spread evenly over it, so a percentile is as
 * exact as a tenth of its bucket. A bucket without an end is taken as its limit.
 */
export function distributionOf(point: HistogramPoint): Distribution | Refusal {
  const { bucketCounts = [], explicitBounds: bounds = [] } = point;
  if (bucketCounts.length > MAX_BUCKETS) return invalid(`a histogram must have at most ${MAX_BUCKETS} buckets`);
  if (bucketCounts.length !== (bucketCounts.length === 0 ? 0 : bounds.length + 1))
    return invalid('a histogram must have one bucket more than bounds');
  if (bounds.some((bound, index) => !isStorable(bound) || bound <= (bounds[index - 1] ?? Number.NEGATIVE_INFINITY)))
    return invalid(`the bounds of a histogram must be increasing numbers within ±${GREATEST}`);
  const parts = Math.min(ORDER.length, Math.max(1, Math.floor(MAX_PARTS / Math.max(1, bounds.length))));
  // a single bucket says nothing about the values
  const found =
    bounds.length === 0
      ? []
      : bucketCounts.flatMap((count, index) => spread(Number(count), lowerOf(bounds, index), bounds[index] ?? null, parts));
  return complete(point, bucketCounts, found);
}

/** Returns the lower end of a bucket. The lowest one begins at zero if its values can be positive. Null if it has no lower end. */
function lowerOf(bounds: readonly number[], index: number): number | null {
  const [first = 0] = bounds;
  return index > 0 ? (bounds[index - 1] as number) : first > 0 ? 0 : null;
}

function spread(count: number, lower: number | null, upper: number | null, parts: number): Part[] {
  if (count === 0) return [];
  if (lower === null || upper === null) return [[(lower ?? upper) as number, count]];
  const order = parts === ORDER.length ? ORDER : Array.from({ length: parts }, (_, index) => index);
  return order.flatMap((part, rank): Part[] => {
    const amount = Math.floor((count - rank + parts - 1) / parts);
    return amount > 0 ? [[lower + ((upper - lower) * (part + 0.5)) / parts, amount]] : [];
  });
}

/** Returns the distribution of an exponential histogram. A percentile is as exact as the buckets that were sent, or 1 %. */
export function exponentialDistributionOf(point: ExponentialPoint): Distribution | Refusal {
  const { scale = 0, zeroCount = 0n, positive = {}, negative = {} } = point;
  const counts = [...(positive.bucketCounts ?? []), ...(negative.bucketCounts ?? [])];
  if (counts.length > MAX_BUCKETS) return invalid(`a histogram must have at most ${MAX_BUCKETS} buckets`);
  const found = [
    ...partsOf(positive, scale, 1),
    ...partsOf(negative, scale, -1),
    ...(zeroCount > 0n ? [[0, Number(zeroCount)] as const] : []),
  ];
  if (!found.every(([value]) => isStorable(value))) return invalid(`the values must be within ±${GREATEST}`);
  return complete(point, [...counts, zeroCount], found);
}

/** The bucket with the number n has the values from base^n to base^(n + 1), where base is 2^(2^-scale). */
const partsOf = ({ offset = 0, bucketCounts = [] }: Buckets, scale: number, sign: 1 | -1): Part[] =>
  bucketCounts.flatMap((count, index): Part[] => (count > 0n ? [[sign * 2 ** ((offset + index + 0.5) * 2 ** -scale), Number(count)]] : []));

function complete(
  { count = 0n, sum, min, max }: Pick<HistogramPoint, 'count' | 'sum' | 'min' | 'max'>,
  counts: readonly bigint[],
  parts: readonly Part[],
): Distribution | Refusal {
  if (count > MAX_COUNT) return invalid('count is too large');
  if (counts.length > 0 && counts.reduce((total, one) => total + one, 0n) !== count) return invalid('count must be the sum of all buckets');
  const estimated = parts.reduce((total, [value, amount]) => total + value * amount, 0);
  const limits = [sum ?? estimated, min ?? 0, max ?? 0];
  if (!limits.every(isStorable)) return invalid(`sum, min and max must be numbers within ±${GREATEST}`);
  const amounts = new Map<number, number>();
  for (const [value, amount] of parts) {
    const index = bucketIndex(value);
    amounts.set(index, (amounts.get(index) ?? 0) + amount);
  }
  const sorted = [...amounts].toSorted(([one], [other]) => one - other);
  return {
    count: Number(count),
    sum: sum ?? estimated,
    // the limits of a distribution without values mean nothing
    min: count > 0n ? (min ?? null) : null,
    max: count > 0n ? (max ?? null) : null,
    index: sorted.map(([index]) => index),
    amount: sorted.map(([, amount]) => amount),
  };
}
