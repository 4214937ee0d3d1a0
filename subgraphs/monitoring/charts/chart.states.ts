import { registerEnumType } from 'type-graphql';

/** Aggregation that combines the samples of a time step to one value. */
export enum Aggregation {
  AVG = 'avg',
  MIN = 'min',
  MAX = 'max',
  SUM = 'sum',
  COUNT = 'count',
  LAST = 'last',
  P50 = 'p50',
  P90 = 'p90',
  P95 = 'p95',
  P99 = 'p99',
  RATE = 'rate',
  INCREASE = 'increase',
}
const percentile = (percent: number): { description: string } => ({
  description: `The smallest value that is at least as high as ${percent} % of all values, with an error of at most 1 %. Not for counters.`,
});
registerEnumType(Aggregation, {
  name: 'MetricAggregation',
  description: 'How the samples of a step become one value.',
  valuesConfig: {
    AVG: { description: 'Average of all samples. For a histogram: of all measured values.' },
    MIN: { description: 'Lowest value.' },
    MAX: { description: 'Highest value.' },
    SUM: { description: 'Sum of all samples.' },
    COUNT: { description: 'Number of samples. For a histogram: of measured values.' },
    LAST: { description: 'Value of the newest sample.' },
    P50: percentile(50),
    P90: percentile(90),
    P95: percentile(95),
    P99: percentile(99),
    RATE: { description: 'Increase of a counter per second. Only for counters.' },
    INCREASE: { description: 'Total increase of a counter, also across restarts of the counter. Only for counters.' },
  },
});

/** Value of a step without samples. */
export enum Fill {
  NONE = 'none',
  ZERO = 'zero',
  PREVIOUS = 'previous',
}
registerEnumType(Fill, {
  name: 'MetricFill',
  description: 'Value of a step without samples.',
  valuesConfig: {
    NONE: { description: 'Null, so that gaps are visible.' },
    ZERO: { description: 'A step without samples has the value 0.' },
    PREVIOUS: { description: 'The value of the step before. Null if there is none.' },
  },
});

/** Data from which the values of a chart are computed: samples or rollups. */
export enum Resolution {
  SAMPLE = 'sample',
  MINUTE = 'minute',
  QUARTER_HOUR = 'quarter_hour',
}
registerEnumType(Resolution, {
  name: 'MetricResolution',
  description: 'Data from which values are computed.',
  valuesConfig: {
    SAMPLE: { description: 'Samples.' },
    MINUTE: { description: 'Rollups of a minute.' },
    QUARTER_HOUR: { description: 'Rollups of 15 minutes.' },
  },
});
