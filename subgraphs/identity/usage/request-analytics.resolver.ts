import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { AnalyticsScope } from '../references.ts';
import { ApiRequestAnalytics } from './request-analytics.types.ts';

@Resolver(() => AnalyticsScope)
export class RequestAnalyticsResolver {
  @FieldResolver(() => ApiRequestAnalytics, {
    nullable: true,
    description:
      'API requests of the organization. Null for an analysis of accounts or services, for a period that began more than 400 days ago, and if they could not be read.',
  })
  @Requires('analytics:read', { scope: 'account' })
  apiRequests(@Root() { id }: AnalyticsScope, @Ctx() { requestAnalytics }: IdentityContext): Promise<ApiRequestAnalytics | null> {
    return requestAnalytics.of(id);
  }
}
