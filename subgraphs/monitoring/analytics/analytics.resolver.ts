import { Args, Ctx, FieldResolver, Float, ID, Query, Resolver, Root } from 'type-graphql';
import { AVAILABILITY_TARGETS } from '../../../kernel/access/availability-targets.ts';
import { analyticsRange } from '../../../kernel/analytics/analytics-scope.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { Trend } from '../../../kernel/statistics/trend.types.ts';
import { ServiceType } from '../../../kernel/values/service-type.ts';
import type { MonitoringContext } from '../context.ts';
import { AnalyticsScope } from '../references.ts';
import { AnalyticsQuery } from './analytics.inputs.ts';
import { AnalyticsPeriod, IncidentAnalytics, QualityAnalytics } from './analytics.types.ts';

@Resolver(() => AnalyticsScope)
export class AnalyticsResolver {
  @Query(() => AnalyticsScope, {
    description:
      'Get figures about services in a period: availability, quality, incidents, usage, costs, tickets, and how they develop. A field is null if the part of the platform that has its data is not available.',
  })
  @Requires('analytics:read', { scope: 'account' })
  async analytics(@Args(() => AnalyticsQuery) query: AnalyticsQuery, @Ctx() { analytics }: MonitoringContext): Promise<AnalyticsScope> {
    return { id: await analytics.begin(query) };
  }

  @Query(() => AnalyticsScope, {
    description: 'Get the costs of services in a period. The same as `analytics`, for callers who may also read costs.',
  })
  @Requires(['analytics:read', 'billing:read'], { scope: 'account' })
  async costAnalytics(@Args(() => AnalyticsQuery) query: AnalyticsQuery, @Ctx() { analytics }: MonitoringContext): Promise<AnalyticsScope> {
    return { id: await analytics.begin(query) };
  }

  @FieldResolver(() => AnalyticsPeriod, {
    description:
      'Period of the figures. In a sandbox, usage and costs have the time of your organization in billing, so the last 30 days can be others.',
  })
  period(@Root() { id }: AnalyticsScope): AnalyticsPeriod {
    const { period, before, timezone } = analyticsRange(id);
    return { ...period, timezone, beforeFirstDay: before.firstDay, beforeLastDay: before.lastDay };
  }

  @FieldResolver(() => ID, { nullable: true, description: 'Account of the figures. Null if they are of all accounts that you may see.' })
  accountId(@Root() { id }: AnalyticsScope): string | null {
    return analyticsRange(id).accountId;
  }

  @FieldResolver(() => [ID], {
    nullable: true,
    description: 'Services of the figures. Null if they are of all services, or of all services of a type, that you may see.',
  })
  serviceIds(@Root() { id }: AnalyticsScope): readonly string[] | null {
    const { serviceIds, type } = analyticsRange(id);
    return type ? null : serviceIds;
  }

  @FieldResolver(() => ServiceType, { nullable: true, description: 'Type of the services of the figures. Null if they are of all types.' })
  type(@Root() { id }: AnalyticsScope): ServiceType | null {
    return analyticsRange(id).type;
  }

  @FieldResolver(() => Float, { description: 'Availability in percent that the plan of the organization promises.' })
  availabilityTarget(@Ctx() { principal }: MonitoringContext): number {
    return AVAILABILITY_TARGETS[principal.plan];
  }

  @FieldResolver(() => QualityAnalytics, {
    nullable: true,
    description: 'Latency, jitter and packet loss of the services. Null only if they could not be read.',
  })
  @Requires('analytics:read', { scope: 'account' })
  quality(@Root() { id }: AnalyticsScope, @Ctx() { quality }: MonitoringContext): Promise<QualityAnalytics> {
    return quality.figures.of(id);
  }

  @FieldResolver(() => IncidentAnalytics, {
    nullable: true,
    description: 'Incidents of the services that began in the period. Null only if they could not be read.',
  })
  @Requires('analytics:read', { scope: 'account' })
  incidents(@Root() { id }: AnalyticsScope, @Ctx() { incidentFigures }: MonitoringContext): Promise<IncidentAnalytics> {
    return incidentFigures.of(id);
  }

  @FieldResolver(() => Trend, {
    nullable: true,
    description: 'Average latency of the services on each day. Null only if it could not be read.',
  })
  @Requires('analytics:read', { scope: 'account' })
  latencyTrend(@Root() { id }: AnalyticsScope, @Ctx() { quality }: MonitoringContext): Promise<Trend> {
    return quality.trends.of(id);
  }
}
