import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { SupportContext } from '../context.ts';
import { DashboardQuery } from './dashboard.inputs.ts';
import { SupportDashboard } from './dashboard.types.ts';

@Resolver()
export class DashboardResolver {
  @Query(() => SupportDashboard, { description: 'Get key figures about the tickets that were created in a period.' })
  @Requires('support:read', { scope: 'account' })
  supportDashboard(@Args(() => DashboardQuery) query: DashboardQuery, @Ctx() { dashboard }: SupportContext): Promise<SupportDashboard> {
    return dashboard.read(query);
  }
}
