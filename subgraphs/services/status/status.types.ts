import { Field, Float, ID, ObjectType } from 'type-graphql';
import { ServiceStatus } from '../inventory/service.states.ts';
import { type HealthChecks as Checks, Health } from './health.ts';

@ObjectType({ description: 'What was measured last; null members where nothing was.' })
export class PerformanceMetrics {
  @Field(() => Float, { nullable: true })
  latencyMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Percent.' })
  bandwidthUtilization!: number | null;

  @Field(() => Float, { nullable: true, description: 'Percent.' })
  packetLoss!: number | null;

  @Field(() => Float, { nullable: true })
  jitterMs!: number | null;

  @Field(() => Date, { nullable: true })
  measuredAt!: Date | null;

  @Field(() => Boolean, { description: 'The measurements come from a simulator.' })
  simulated!: boolean;
}

@ObjectType()
export class HealthChecks implements Checks {
  @Field(() => Health)
  connectivity!: Health;

  @Field(() => Health)
  performance!: Health;

  @Field(() => Health)
  security!: Health;
}

@ObjectType({ description: 'How a service does (specification 2.5).' })
export class ServiceStatusRecord {
  @Field(() => ID)
  serviceId!: string;

  @Field(() => ServiceStatus)
  status!: ServiceStatus;

  @Field(() => Float, {
    nullable: true,
    description: 'Of the last 30 days, or since it was provisioned. Maintenance counts neither way; null before it was provisioned.',
  })
  uptimePercentage!: number | null;

  @Field(() => Date, { nullable: true, description: 'When it last went down or degraded.' })
  lastIncident!: Date | null;

  @Field(() => PerformanceMetrics)
  performanceMetrics!: PerformanceMetrics;

  @Field(() => HealthChecks)
  healthChecks!: HealthChecks;
}
