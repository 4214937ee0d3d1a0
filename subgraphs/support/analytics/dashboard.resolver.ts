import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { SupportContext } from '../context.ts';
import { SupportDashboard } from './dashboard.types.ts';

@Resolver()
export class DashboardResolver {
  @Query(() => SupportDashboard, { description: 'The tickets that were opened in a period, in numbers.' })
  @Requires('support:read', { scope: 'account' })
  supportDashboard(
    @Arg('customerId', () => ID, { nullable: true, description: 'Only tickets of this customer.' }) customerId: string | null | undefined,
    @Arg('dateRange', () => String, {
      defaultValue: '30d',
      description:
        'The last days (`30d`, today included), weeks (`12w`) or hours (`24h`), or two dates, both included (`2026-01-01..2026-01-31`).',
    })
    dateRange: string,
    @Arg('timezone', () => String, { defaultValue: 'UTC', description: 'IANA zone in which days begin, such as America/New_York.' })
    timezone: string,
    @Ctx() { dashboard }: SupportContext,
  ): Promise<SupportDashboard> {
    return dashboard.read({ customerId, dateRange, timezone });
  }
}
