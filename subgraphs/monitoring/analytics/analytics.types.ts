import { Field, Float, ID, Int, ObjectType } from 'type-graphql';

@ObjectType({ description: 'Period of an analysis, in whole days of its time zone.' })
export class AnalyticsPeriod {
  @Field(() => Date, { description: 'Start, inclusive: midnight of the first day.' })
  start!: Date;

  @Field(() => Date, {
    description:
      'End, exclusive: midnight after the last day, or now. The same as `start` if the period has not begun, which is possible only in a sandbox.',
  })
  end!: Date;

  @Field(() => String, { description: 'First day, such as 2026-01-01.' })
  firstDay!: string;

  @Field(() => String, { description: 'Last day, such as 2026-01-31.' })
  lastDay!: string;

  @Field(() => String, { description: 'IANA time zone in which days begin.' })
  timezone!: string;

  @Field(() => String, { description: 'First day of the period before, with which figures are compared. It has the same number of days.' })
  beforeFirstDay!: string;

  @Field(() => String, { description: 'Last day of the period before.' })
  beforeLastDay!: string;
}

@ObjectType({ description: 'Measured quality of services. A value is null if it was not measured.' })
export class QualityFigures {
  @Field(() => Float, { nullable: true, description: 'Average round-trip time in milliseconds.' })
  latencyAverageMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Round-trip time in milliseconds that half of the measurements do not exceed.' })
  latencyP50Ms!: number | null;

  @Field(() => Float, { nullable: true, description: 'Round-trip time in milliseconds that 95 % of the measurements do not exceed.' })
  latencyP95Ms!: number | null;

  @Field(() => Float, { nullable: true, description: 'Round-trip time in milliseconds that 99 % of the measurements do not exceed.' })
  latencyP99Ms!: number | null;

  @Field(() => Float, { nullable: true, description: 'Average jitter in milliseconds.' })
  jitterAverageMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Average packet loss in percent.' })
  packetLossAverage!: number | null;
}

@ObjectType({ description: 'Measured quality of a service. A value is null if it was not measured.' })
export class ServiceQuality {
  @Field(() => ID, { description: 'Id of the service (`svc_…`).' })
  serviceId!: string;

  @Field(() => Float, { nullable: true, description: 'Round-trip time in milliseconds that 95 % of the measurements do not exceed.' })
  latencyP95Ms!: number | null;

  @Field(() => Float, { nullable: true, description: 'Average jitter in milliseconds.' })
  jitterAverageMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Average packet loss in percent.' })
  packetLossAverage!: number | null;
}

@ObjectType({ description: 'Measured quality of services in a period, and in the period before.' })
export class QualityAnalytics extends QualityFigures {
  @Field(() => Date, { description: 'Values before this time are final, except for samples that arrive up to an hour late.' })
  completeUntil!: Date;

  @Field(() => QualityFigures, { description: 'The same figures for the period before.' })
  before!: QualityFigures;

  @Field(() => [ServiceQuality], { description: 'Services with the highest latency first, at most 50.' })
  services!: ServiceQuality[];
}

@ObjectType({ description: 'Incidents that began in a period.' })
export class IncidentFigures {
  @Field(() => Int, { description: 'Number of incidents that began.' })
  opened!: number;

  @Field(() => Int, { description: 'Number of these incidents that are resolved now.' })
  resolved!: number;

  @Field(() => Int, { description: 'Number of minor incidents.' })
  minor!: number;

  @Field(() => Int, { description: 'Number of major incidents.' })
  major!: number;

  @Field(() => Int, { description: 'Number of critical incidents.' })
  critical!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Average seconds from the beginning until the reason was found. Null if no reason was found.',
  })
  meanSecondsToIdentify!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Average seconds from the beginning until the incident was resolved. Null if none is resolved.',
  })
  meanSecondsToResolve!: number | null;
}

@ObjectType({ description: 'Incidents that began in a period, and in the period before.' })
export class IncidentAnalytics extends IncidentFigures {
  @Field(() => IncidentFigures, { description: 'The same figures for the period before.' })
  before!: IncidentFigures;
}
