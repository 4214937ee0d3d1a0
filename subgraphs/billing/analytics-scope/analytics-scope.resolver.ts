import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { Trend } from '../../../kernel/statistics/trend.types.ts';
import type { BillingContext } from '../context.ts';
import { AnalyticsScope } from '../references.ts';
import { CostAnalytics } from './cost-analytics.types.ts';
import { UsageAnalytics } from './usage-analytics.types.ts';

@Resolver(() => AnalyticsScope)
export class BillingAnalyticsScopeResolver {
  @FieldResolver(() => UsageAnalytics, { nullable: true, description: 'Usage of the services. Null only if it could not be read.' })
  @Requires('analytics:read', { scope: 'account' })
  usage(@Root() { id }: AnalyticsScope, @Ctx() { usageAnalytics }: BillingContext): Promise<UsageAnalytics> {
    return usageAnalytics.figures.of(id);
  }

  @FieldResolver(() => [Trend], {
    nullable: true,
    description: 'Usage of each metric on each day. Metrics without usage are omitted. Null only if it could not be read.',
  })
  @Requires('analytics:read', { scope: 'account' })
  usageTrends(@Root() { id }: AnalyticsScope, @Ctx() { usageAnalytics }: BillingContext): Promise<Trend[]> {
    return usageAnalytics.trends.of(id);
  }

  @FieldResolver(() => CostAnalytics, {
    nullable: true,
    description: 'Costs of the services. Also requires `billing:read`. Null only if they could not be read.',
  })
  @Requires(['analytics:read', 'billing:read'], { scope: 'account' })
  costs(@Root() { id }: AnalyticsScope, @Ctx() { costAnalytics }: BillingContext): Promise<CostAnalytics> {
    return costAnalytics.figures.of(id);
  }

  @FieldResolver(() => Trend, {
    nullable: true,
    description:
      'Costs of the services in the last 12 months that have ended, in the currency with the highest costs of this year. Also requires `billing:read`. Null only if they could not be read.',
  })
  @Requires(['analytics:read', 'billing:read'], { scope: 'account' })
  costTrend(@Root() { id }: AnalyticsScope, @Ctx() { costAnalytics }: BillingContext): Promise<Trend> {
    return costAnalytics.trends.of(id);
  }
}
