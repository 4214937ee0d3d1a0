import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { Trend } from '../../../kernel/statistics/trend.types.ts';
import type { SupportContext } from '../context.ts';
import { AnalyticsScope } from '../references.ts';
import { TicketAnalytics } from './ticket-analytics.types.ts';

@Resolver(() => AnalyticsScope)
export class TicketAnalyticsResolver {
  @FieldResolver(() => TicketAnalytics, { nullable: true, description: 'Tickets of the period. Null only if they could not be read.' })
  @Requires('analytics:read', { scope: 'account' })
  tickets(@Root() { id }: AnalyticsScope, @Ctx() { ticketAnalytics }: SupportContext): Promise<TicketAnalytics> {
    return ticketAnalytics.figures.of(id);
  }

  @FieldResolver(() => Trend, {
    nullable: true,
    description: 'Number of tickets that were created on each day. Null only if they could not be read.',
  })
  @Requires('analytics:read', { scope: 'account' })
  ticketTrend(@Root() { id }: AnalyticsScope, @Ctx() { ticketAnalytics }: SupportContext): Promise<Trend> {
    return ticketAnalytics.trends.of(id);
  }
}
