import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRefusal } from '../samples/refusals.ts';
import type { Distribution } from '../samples/sample.ts';
import { GREATEST } from '../samples/sketch.ts';
import { distributionOf, exponentialDistributionOf } from './otlp-distributions.ts';

const BOUNDS = [0.5, 1, 2.5, 10, 100];
const counts = fc.array(fc.nat(50), { minLength: BOUNDS.length + 1, maxLength: BOUNDS.length + 1 });

const explicit = (buckets: readonly number[]): Distribution => {
  const count = BigInt(buckets.reduce((sum, one) => sum + one, 0));
  const found = distributionOf({ count, bucketCounts: buckets.map(BigInt), explicitBounds: BOUNDS });
  if (isRefusal(found)) throw new Error(found.reason);
  return found;
};

const amountOf = ({ index, amount }: Distribution, bucket: number): number => amount[index.indexOf(bucket)] ?? 0;

describe('distributions of histograms', () => {
  test('all values are in a bucket, and no bucket loses values when a cumulative histogram grows', () => {
    fc.assert(
      fc.property(counts, counts, (before, added) => {
        const one = explicit(before);
        const other = explicit(before.map((count, index) => count + (added[index] ?? 0)));
        for (const found of [one, other]) expect(found.amount.reduce((sum, amount) => sum + amount, 0)).toBe(found.count);
        for (const bucket of one.index) expect(amountOf(other, bucket)).toBeGreaterThanOrEqual(amountOf(one, bucket));
      }),
    );
  });

  test('the buckets of an exponential histogram are found again within 1 % of their middle', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), fc.integer({ min: -500, max: 500 }), fc.nat(1000), (scale, offset, count) => {
        const found = exponentialDistributionOf({ count: BigInt(count), scale, positive: { offset, bucketCounts: [BigInt(count)] } });
        const middle = 2 ** ((offset + 0.5) * 2 ** -scale);
        expect(isRefusal(found)).toBe(count > 0 && middle * count > GREATEST);
        if (isRefusal(found)) return;
        expect(found.amount).toEqual(count === 0 ? [] : [count]);
        if (count > 0 && middle > 1e-100) expect(Math.abs(found.sum / count / middle - 1)).toBeLessThan(0.01);
      }),
    );
  });
});
