import { Directive, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { MetricType } from '../metrics/metric.states.ts';
import type { Labels } from '../series/series.ts';
import { SERIES_DEFAULT } from './chart.inputs.ts';
import { Aggregation, Resolution } from './chart.states.ts';
import { MAX_STEPS } from './steps.ts';

/** Complexity cost of the values of a chart. A hundred values cost as much as eight objects. */
const VALUES_COST = Math.ceil((MAX_STEPS / 100) * 8);

@ObjectType({ description: 'Values of a group of series of a metric.' })
export class MetricSeries {
  @Field(() => ID, { nullable: true, description: 'Service of the series. Null if the group contains series of several services.' })
  serviceId!: string | null;

  @Field(() => JsonObject, { description: 'Values of the labels by which the series are grouped, by name of the label.' })
  labels!: Labels;

  @Field(() => [Float], { nullable: 'items', description: 'Value of each step in `times`.' })
  @Directive(`@cost(weight: ${VALUES_COST})`)
  values!: (number | null)[];
}

@ObjectType({ description: 'Values of a metric in the steps of a range.' })
export class MetricChart {
  @Field(() => String, { description: 'Name of the metric.' })
  name!: string;

  @Field(() => MetricType, { description: 'Kind of the metric, which states how its samples are interpreted.' })
  type!: MetricType;

  @Field(() => String, { nullable: true, description: 'Unit of the values, such as `ms`. Null if it was not sent.' })
  unit!: string | null;

  @Field(() => Aggregation, { description: 'How the samples of a step became one value.' })
  aggregation!: Aggregation;

  @Field(() => Resolution, { description: 'Data from which the values were computed.' })
  resolution!: Resolution;

  @Field(() => Date, { description: 'Start of the first step.' })
  from!: Date;

  @Field(() => Date, { description: 'End of the range, exclusive.' })
  to!: Date;

  @Field(() => Int, { description: 'Length of a step in seconds. A day on which clocks change is shorter or longer.' })
  stepSeconds!: number;

  @Field(() => Date, {
    description:
      'Values before this time are final, except for late samples, which may come up to an hour later. Later values may still change.',
  })
  completeUntil!: Date;

  @Field(() => Int, {
    description:
      'Number of series that match the conditions. `series` contains at most `limit` series. For the metrics of a service, the limit is 10.',
  })
  seriesTotal!: number;

  @Field(() => [Date], { description: 'Start of each step, oldest first.' })
  @Directive(`@cost(weight: ${VALUES_COST})`)
  times!: Date[];

  @Directive(`@listSize(assumedSize: ${SERIES_DEFAULT})`)
  @Field(() => [MetricSeries], { description: 'Series in the order of their service and labels.' })
  series!: MetricSeries[];
}
