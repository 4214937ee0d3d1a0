import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { BillingContext } from '../context.ts';
import { AnalyticsGroup, AnalyticsPeriod } from './analytics.states.ts';
import { BillingAnalytics } from './analytics.types.ts';

@Resolver()
export class BillingAnalyticsResolver {
  @Query(() => BillingAnalytics, {
    description: 'Get key figures of billing in a period: invoiced, collected and outstanding amounts, and the recurring revenue.',
  })
  @Requires('billing:read', { scope: 'account' })
  billingAnalytics(
    @Arg('period', () => AnalyticsPeriod, { defaultValue: AnalyticsPeriod.LAST_30_DAYS, description: 'Period of whole UTC days.' })
    period: AnalyticsPeriod,
    @Arg('groupBy', () => AnalyticsGroup, { nullable: true, description: 'How the figures are grouped. Default: no groups.' })
    groupBy: AnalyticsGroup | undefined,
    @Arg('accountId', () => ID, {
      nullable: true,
      description: 'Only figures of this account (`acc_…`). Default: all accounts that you can access.',
    })
    accountId: string | undefined,
    @Arg('currency', () => String, {
      nullable: true,
      description: 'ISO 4217 code of a currency. Default: the currency with the highest invoiced amount.',
    })
    currency: string | undefined,
    @Ctx() { analytics }: BillingContext,
  ): Promise<BillingAnalytics> {
    return analytics.read({ period, groupBy: groupBy ?? null, accountId: accountId ?? null, currency: currency ?? null });
  }
}
