/** A value of a series at one time. */
export interface Sample {
  seriesId: number;
  /** Time of the sample, in milliseconds since 1970. */
  at: number;
  /** For a histogram, the average. */
  value: number;
  distribution?: Distribution | undefined;
}

/** The measured values that a sample of a histogram summarizes. */
export interface Distribution {
  count: number;
  sum: number;
  /** Null if it is unknown. */
  min: number | null;
  max: number | null;
  /** The buckets of a sketch, and how many values are in each. */
  index: readonly number[];
  amount: readonly number[];
}

/** Result of storing a sample. `conflict`: the series already has another value at this time, which does not change. */
export type Stored = 'accepted' | 'duplicate' | 'conflict';
