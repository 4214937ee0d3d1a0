import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { MeasuredPeriod } from '../samples/period.ts';
import { SampleState } from '../samples/sample.ts';
import { ServiceStatusRecord } from '../status/status.types.ts';

@ObjectType({ description: 'Figures about one kind of measurement in a period. All are null if it was never measured.' })
export class MetricFigures {
  @Field(() => Float, { nullable: true, description: 'Lowest value.' })
  min!: number | null;

  @Field(() => Float, { nullable: true, description: 'Average of all values.' })
  avg!: number | null;

  @Field(() => Float, { nullable: true, description: 'Highest value.' })
  max!: number | null;

  @Field(() => Float, { nullable: true, description: 'The smallest value that is at least as high as 95 % of all values.' })
  p95!: number | null;
}

@ObjectType({ description: 'Figures about all measurements of a service in a period.' })
export class MetricsSummary {
  @Field(() => Int, { description: 'Number of measurements.' })
  samples!: number;

  @Field(() => MetricFigures, { description: 'Round-trip time in milliseconds.' })
  latencyMs!: MetricFigures;

  @Field(() => MetricFigures, { description: 'Used share of the bandwidth, in percent.' })
  bandwidthUtilization!: MetricFigures;

  @Field(() => MetricFigures, { description: 'Lost packets, in percent.' })
  packetLoss!: MetricFigures;

  @Field(() => MetricFigures, { description: 'Variation of the latency, in milliseconds.' })
  jitterMs!: MetricFigures;

  @Field(() => Float, { nullable: true, description: 'Transferred bytes. Null if the traffic is not known, and for a site.' })
  transferredBytes!: number | null;
}

@ObjectType({ description: 'Averages of the measurements in an interval. A value is null if nothing was measured in the interval.' })
export class MetricPoint {
  @Field(() => Date, { description: 'Start of the interval.' })
  timestamp!: Date;

  @Field(() => SampleState, { nullable: true, description: 'Worst state in the interval.' })
  state!: SampleState | null;

  @Field(() => Float, { nullable: true, description: 'Round-trip time in milliseconds.' })
  latencyMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Used share of the bandwidth, in percent.' })
  bandwidthUtilization!: number | null;

  @Field(() => Float, { nullable: true, description: 'Lost packets, in percent.' })
  packetLoss!: number | null;

  @Field(() => Float, { nullable: true, description: 'Variation of the latency, in milliseconds.' })
  jitterMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Transferred bytes. Null if the traffic is not known, and for a site.' })
  transferredBytes!: number | null;
}

@ObjectType({ description: 'Status of a service, with its measurements in a period.' })
export class ServiceMetrics extends ServiceStatusRecord {
  @Field(() => MeasuredPeriod, { nullable: true, description: 'Requested period. Null for a period with `from` and `to`.' })
  period!: MeasuredPeriod | null;

  @Field(() => Date, { description: 'Start of the period.' })
  from!: Date;

  @Field(() => Date, { description: 'End of the period, exclusive.' })
  to!: Date;

  @Field(() => ID, { nullable: true, description: 'Site that was measured. Null for the service as a whole.' })
  siteId!: string | null;

  @Field(() => Int, { description: 'Length of each interval of `series` in seconds. It grows with the period.' })
  intervalSeconds!: number;

  @Field(() => MetricsSummary, { description: 'Figures about the whole period.' })
  summary!: MetricsSummary;

  @Field(() => [MetricPoint], { description: 'At most 400 intervals, oldest first. Intervals without a measurement contain nulls.' })
  series!: MetricPoint[];
}
