import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { Trend } from '../../../kernel/statistics/trend.types.ts';
import type { ServicesContext } from '../context.ts';
import { AnalyticsScope } from '../references.ts';
import { AvailabilityAnalytics } from './availability.types.ts';

@Resolver(() => AnalyticsScope)
export class AvailabilityAnalyticsResolver {
  @FieldResolver(() => AvailabilityAnalytics, {
    nullable: true,
    description: 'Availability of the services. Null only if it could not be read.',
  })
  @Requires('analytics:read', { scope: 'account' })
  availability(@Root() { id }: AnalyticsScope, @Ctx() { availabilityAnalytics }: ServicesContext): Promise<AvailabilityAnalytics> {
    return availabilityAnalytics.figures.of(id);
  }

  @FieldResolver(() => Trend, {
    nullable: true,
    description: 'Availability of the services on each day. Null only if it could not be read.',
  })
  @Requires('analytics:read', { scope: 'account' })
  availabilityTrend(@Root() { id }: AnalyticsScope, @Ctx() { availabilityAnalytics }: ServicesContext): Promise<Trend> {
    return availabilityAnalytics.trends.of(id);
  }
}
