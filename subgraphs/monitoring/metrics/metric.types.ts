import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { pageOf } from '../../../kernel/graphql/page.ts';
import { MetricType } from './metric.states.ts';

/** Number of most recently active series in which the newest value of a metric is searched. */
export const RECENT_SERIES = 20;
/** Maximum number of services that a list shows for each metric. */
export const METRIC_SERVICES_MAX = 20;

@ObjectType({ description: 'A measured value.' })
export class MetricValue {
  @Field(() => Float, { description: 'The value, in the unit of the metric.' })
  value!: number;

  @Field(() => Date, { description: 'When it was measured.' })
  at!: Date;
}

@ObjectType({
  description: 'A measured quantity, such as `http.server.duration`. A metric has one or more series, and each series has its own samples.',
})
export class Metric {
  @Field(() => String, { description: 'Name, unique in the organization.' })
  name!: string;

  @Field(() => MetricType, { description: 'Kind of the metric, which states how its samples are interpreted.' })
  type!: MetricType;

  @Field(() => String, { nullable: true, description: 'Unit, such as `ms` or `By`. Null if it was not sent.' })
  unit!: string | null;

  @Field(() => String, { nullable: true, description: 'Description of the measured value. Null if none was sent.' })
  description!: string | null;

  @Field(() => Int, { description: 'Number of series of the metric: one for each service and set of labels.' })
  seriesCount!: number;

  @Field(() => MetricValue, {
    nullable: true,
    description: `Newest value among the ${RECENT_SERIES} series with the most recent samples. Null if there was no sample in the last two days.`,
  })
  last!: MetricValue | null;

  @Field(() => [ID], { description: `Services that have the metric (\`svc_…\`), at most ${METRIC_SERVICES_MAX}.` })
  serviceIds!: string[];

  @Field(() => Date, { description: 'Time at which the first sample of the metric was received.' })
  createdAt!: Date;
}

export const MetricPage = pageOf('Metric', Metric);
