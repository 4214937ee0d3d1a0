/**
 * Relative error of a percentile (1 %). A sketch counts values in buckets whose limits grow by a constant factor, as in DDSketch. A
 * percentile from the sketch differs from the exact value by at most this error. Sketches are merged by adding the counts of equal buckets.
 */
const ERROR = 0.01;
const FACTOR = (1 + ERROR) / (1 - ERROR);
const LOG_FACTOR = Math.log(FACTOR);
/**
 * Offset of bucket numbers. Buckets of positive values begin at about 1,000, 0 is the bucket of zero, and negative values have negative
 * buckets.
 */
const OFFSET = 16_000;
/** Smallest absolute value that is not stored and counted as zero. With smaller values, PostgreSQL could not compute averages. */
const LEAST = 1e-130;
/** Largest absolute value of a sample. Its bucket number fits into a `smallint`, and sums of many samples fit into a `double`. */
export const GREATEST = 1e100;

/** Returns the value of a sample as it is stored: zero if its absolute value is too small. */
export const storedValue = (value: number): number => (Math.abs(value) < LEAST ? 0 : value);

/** Returns the bucket that counts a value. The order of the buckets is the order of their values. */
export const bucketIndex = (value: number): number =>
  Math.abs(value) < LEAST ? 0 : Math.sign(value) * (Math.ceil(Math.log(Math.abs(value)) / LOG_FACTOR) + OFFSET);

/** Returns the SQL expression for the bucket that counts a value. The order of the buckets is the order of their values. */
export const bucketOf = (value: string): string =>
  `(case when abs(${value}) < ${LEAST} then 0 else sign(${value}) * (ceil(ln(abs(${value})) / ${LOG_FACTOR}) + ${OFFSET}) end)::smallint`;

/** Returns the SQL expression for the value that represents a bucket. It differs from each value in the bucket by at most 1 %. */
export const valueIn = (bucket: string): string =>
  `(case when ${bucket} = 0 then 0 else sign(${bucket}) * 2 * exp((abs(${bucket}) - ${OFFSET}) * ${LOG_FACTOR}) / ${1 + FACTOR} end)`;
