import { Field, Float, ID, ObjectType } from 'type-graphql';
import { ServiceStatus } from '../inventory/service.states.ts';
import { SampleState } from '../samples/sample.ts';
import { type HealthChecks as Checks, Health } from './health.ts';

@ObjectType({
  description: 'Latest measurements of a service. A value is null if the provider did not report it, or the service is not built.',
})
export class PerformanceMetrics {
  @Field(() => Float, { nullable: true, description: 'Round-trip time in milliseconds.' })
  latencyMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Used share of the bandwidth, in percent.' })
  bandwidthUtilization!: number | null;

  @Field(() => Float, { nullable: true, description: 'Lost packets, in percent.' })
  packetLoss!: number | null;

  @Field(() => Float, { nullable: true, description: 'Variation of the latency, in milliseconds.' })
  jitterMs!: number | null;

  @Field(() => Date, { nullable: true, description: 'When the provider measured. Null without a measurement.' })
  measuredAt!: Date | null;

  @Field(() => Boolean, { description: 'True if the measurements come from the built-in simulator and not from a network.' })
  simulated!: boolean;
}

@ObjectType({ description: 'Newest measurement of a site of a network. A value is null if it was not measured.' })
export class SiteStatus {
  @Field(() => ID, { description: 'Id of the site within the network.' })
  siteId!: string;

  @Field(() => SampleState, { nullable: true, description: 'Measured state. Null if the site was not measured in the last five minutes.' })
  state!: SampleState | null;

  @Field(() => Float, { nullable: true, description: 'Round-trip time in milliseconds.' })
  latencyMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Used share of the bandwidth, in percent.' })
  bandwidthUtilization!: number | null;

  @Field(() => Float, { nullable: true, description: 'Lost packets, in percent.' })
  packetLoss!: number | null;

  @Field(() => Float, { nullable: true, description: 'Variation of the latency, in milliseconds.' })
  jitterMs!: number | null;

  @Field(() => Date, { nullable: true, description: 'When the site was measured. Null without a measurement.' })
  measuredAt!: Date | null;
}

@ObjectType({ description: 'Health of a service in three areas.' })
export class HealthChecks implements Checks {
  @Field(() => Health, { description: 'Whether the line is up, derived from the status of the service.' })
  connectivity!: Health;

  @Field(() => Health, { description: 'Whether latency, jitter, packet loss and utilization are within limits.' })
  performance!: Health;

  @Field(() => Health, { description: 'Whether the provider reports no security incidents.' })
  security!: Health;
}

@ObjectType({ description: 'Status, uptime and latest measurements of a service.' })
export class ServiceStatusRecord {
  @Field(() => ID, { description: 'Service that was measured (`svc_…`).' })
  serviceId!: string;

  @Field(() => ServiceStatus, { description: 'Current state in the life cycle of the service.' })
  status!: ServiceStatus;

  @Field(() => Float, {
    nullable: true,
    description:
      'Percentage of the time in which the service worked. The time is the last 30 days, or the time since the service was provisioned if that time is shorter. Maintenance and suspension are left out of the calculation. Null before the service is provisioned.',
  })
  uptimePercentage!: number | null;

  @Field(() => Date, { nullable: true, description: 'When the service last went down or degraded. Null if this never happened.' })
  lastIncident!: Date | null;

  @Field(() => PerformanceMetrics, { description: 'Latest measurements of the provider.' })
  performanceMetrics!: PerformanceMetrics;

  @Field(() => HealthChecks, { description: 'Results of the health checks.' })
  healthChecks!: HealthChecks;

  @Field(() => [SiteStatus], { description: 'Sites of a network, in their order. Empty for other kinds of services.' })
  sites!: SiteStatus[];
}

@ObjectType({ description: 'Result of one health check.' })
export class HealthCheck {
  @Field(() => String, { description: 'Area that was checked: `connectivity`, `performance` or `security`.' })
  name!: string;

  @Field(() => Health, { description: 'Result of the check.' })
  status!: Health;

  @Field(() => Date, { nullable: true, description: 'Time of the measurement on which the check is based. Null without a measurement.' })
  checkedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'Why the result is not `healthy`. Null for a healthy check.' })
  reason!: string | null;
}

@ObjectType({ description: 'Status of a service, with the reasons of its health checks.' })
export class ServiceHealth extends ServiceStatusRecord {
  @Field(() => [HealthCheck], { description: 'The health checks, with their reasons.' })
  checks!: HealthCheck[];
}
