import { registerEnumType } from 'type-graphql';

/** Type of a metric, which determines the meaning of its samples. */
export enum MetricType {
  GAUGE = 'gauge',
  COUNTER = 'counter',
  HISTOGRAM = 'histogram',
}
registerEnumType(MetricType, {
  name: 'MetricType',
  description: 'Kind of a metric, which states how its samples are interpreted.',
  valuesConfig: {
    GAUGE: { description: 'A value that rises and falls, such as a temperature.' },
    COUNTER: { description: 'A total that only grows, such as sent bytes. It may start again at zero.' },
    HISTOGRAM: { description: 'A distribution of values, such as the durations of requests.' },
  },
});
