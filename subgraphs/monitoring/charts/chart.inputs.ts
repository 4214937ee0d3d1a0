import { ArrayMaxSize, ArrayMinSize, IsOptional, Matches, Max, Min } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';
import { METRIC_NAME } from '../ingest/sample.rules.ts';
import { Aggregation, Fill } from './chart.states.ts';

export const SERIES_DEFAULT = 10;
const SERIES_MAX = 50;
const GROUPS_MAX = 5;
const LABELS_MAX = 16;

/** Range, steps and grouping of a chart. */
@ArgsType()
export class ChartQuery {
  @Field(() => Date, { nullable: true, description: 'Start of the range. It is moved to the start of its step.' })
  from?: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'End of the range, exclusive. It is moved to the end of its minute or quarter of an hour. Default: now. Requires `from`.',
  })
  to?: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'A range that ends now, in hours, days or weeks, such as `24h` or `30d`. Default: `24h`. Cannot be combined with `from`.',
  })
  @IsOptional()
  @Matches(/^[1-9]\d{0,3}[hdw]$/, { message: 'must be a number of hours, days or weeks, such as 24h, 30d or 12w' })
  period?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Length of a step, such as `15s`, `5m`, `1h` or `1d`. A step of days begins at midnight in `timezone`. Default: a length that results in at most 720 steps.',
  })
  @IsOptional()
  @Matches(/^[1-9]\d{0,3}[smhd]$/, { message: 'must be a number of seconds, minutes, hours or days, such as 15s, 5m, 1h or 1d' })
  step?: string | null;

  @Field(() => Aggregation, {
    nullable: true,
    description: 'How the samples of a step become one value. Default: `RATE` for a counter, otherwise `AVG`.',
  })
  aggregation?: Aggregation | null;

  @Field(() => [String], {
    nullable: true,
    description: `Names of labels, or \`service_id\`, by which series are grouped: at most ${GROUPS_MAX}. Default: all series in one group.`,
  })
  @IsOptional()
  @ArrayMaxSize(GROUPS_MAX, { message: `must have at most ${GROUPS_MAX} items` })
  @Matches(/^[A-Za-z_][\w.-]{0,63}$/, { each: true, message: 'must be the name of a label, or service_id' })
  groupBy?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: `Only series with these labels, each written as \`name=value\`: at most ${LABELS_MAX}.`,
  })
  @IsOptional()
  @ArrayMaxSize(LABELS_MAX, { message: `must have at most ${LABELS_MAX} items` })
  @Matches(/^[A-Za-z_][\w.-]{0,63}=/, { each: true, message: 'must have the form name=value' })
  labels?: string[] | null;

  @Field(() => Fill, { nullable: true, description: 'Value of a step without samples. Default: `NONE`.' })
  fill?: Fill | null;

  @Field(() => String, { nullable: true, description: 'Time zone in which days begin, such as `Europe/Berlin`. Default: `UTC`.' })
  @IsOptional()
  @IsZone()
  timezone?: string | null;
}

export const SERVICE_METRICS_MAX = 5;
const NAMES = `must have 1 to ${SERVICE_METRICS_MAX} items`;

/** Query for the charts of several metrics of a service. */
@ArgsType()
export class ServiceMetricsArgs extends ChartQuery {
  @Field(() => [String], { description: `Names of the metrics, 1 to ${SERVICE_METRICS_MAX}.` })
  @ArrayMinSize(1, { message: NAMES })
  @ArrayMaxSize(SERVICE_METRICS_MAX, { message: NAMES })
  names!: string[];
}

/** Query for a chart of one metric. */
@ArgsType()
export class MetricChartQuery extends ChartQuery {
  @Field(() => String, { description: 'Name of the metric.' })
  @Matches(METRIC_NAME, { message: 'must be the name of a metric' })
  name!: string;

  @Field(() => ID, { nullable: true, description: 'Only series of this service (`svc_…`).' })
  serviceId?: string | null;

  @Field(() => Int, { defaultValue: SERIES_DEFAULT, description: `Maximum number of series, 1 to ${SERIES_MAX}.` })
  @Min(1, { message: `must be between 1 and ${SERIES_MAX}` })
  @Max(SERIES_MAX, { message: `must be between 1 and ${SERIES_MAX}` })
  limit!: number;
}
