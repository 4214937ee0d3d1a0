import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { MetricValue } from '../metrics/metric.types.ts';
import type { Labels } from '../series/series.ts';

/** Maximum number of series of a subscription. */
export const SERIES_MAX = 50;
/** Maximum number of samples of a series in a message. */
export const SAMPLES_MAX = 100;
/** A new subscription begins with the samples of this number of minutes. */
export const BACK_MINUTES = 15;

@ObjectType({ description: 'New samples of one series.' })
export class LiveSeries {
  @Field(() => String, { description: 'Name of the metric.' })
  name!: string;

  @Field(() => ID, { nullable: true, description: 'Service of the series (`svc_…`). Null for a series without a service.' })
  serviceId!: string | null;

  @Field(() => JsonObject, { description: 'Labels of the series, by name.' })
  labels!: Labels;

  @Field(() => [MetricValue], {
    description: `The new samples, oldest first: at most ${SAMPLES_MAX}. The value of a histogram is the average of its measured values.`,
  })
  @Directive(`@listSize(assumedSize: ${SAMPLES_MAX})`)
  samples!: MetricValue[];

  @Field(() => Int, {
    description: `Number of older samples that are left out, because there were more than ${SAMPLES_MAX} since the last message. A chart has them.`,
  })
  omitted!: number;
}

@ObjectType({ description: 'New samples of the followed series.' })
export class MetricSamples {
  @Field(() => [LiveSeries], { description: 'The series with new samples.' })
  @Directive(`@listSize(assumedSize: ${SERIES_MAX})`)
  series!: LiveSeries[];

  @Field(() => Int, { description: `Number of series that match. Only the first ${SERIES_MAX} are followed.` })
  seriesTotal!: number;

  @Field(() => Date, {
    nullable: true,
    description: `Set in the first message if the position in \`after\` is older than ${BACK_MINUTES} minutes: samples since this time are missing. Otherwise null.`,
  })
  gapSince!: Date | null;

  @Field(() => String, { description: 'Value of `after` for a subscription that continues after this message.' })
  position!: string;
}
