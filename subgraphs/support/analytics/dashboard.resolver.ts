import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { SupportContext } from '../context.ts';
import { DashboardQuery } from './dashboard.inputs.ts';
import { SupportDashboard } from './dashboard.types.ts';

@Resolver()
export class DashboardResolver {
  @Query(() => SupportDashboard, { description: 'The tickets that were opened in a period, in numbers.' })
  @Requires('support:read', { scope: 'account' })
  supportDashboard(@Args(() => DashboardQuery) query: DashboardQuery, @Ctx() { dashboard }: SupportContext): Promise<SupportDashboard> {
    return dashboard.read(query);
  }
}
