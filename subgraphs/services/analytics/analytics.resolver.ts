import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { ServicesContext } from '../context.ts';
import { MeasuredPeriod } from '../samples/period.ts';
import { ServiceAnalytics, ServicesSummary, SummaryPeriod } from './analytics.types.ts';

@Resolver()
export class AnalyticsResolver {
  @Query(() => ServiceAnalytics, {
    nullable: true,
    description: 'Get the usage, costs and trends of a service. Null if the service does not exist.',
  })
  @Requires('services:read', { scope: 'account' })
  async serviceAnalytics(
    @Arg('id', () => ID, { description: 'Id of the service (`svc_…`).' }) id: string,
    @Arg('period', () => MeasuredPeriod, { defaultValue: MeasuredPeriod.LAST_30_DAYS, description: 'Period that ends now.' })
    period: MeasuredPeriod,
    @Ctx() { services, analytics }: ServicesContext,
  ): Promise<ServiceAnalytics | null> {
    const service = await services.find(id);
    return service && analytics.read(service, period);
  }

  @Query(() => ServicesSummary, {
    description: 'Get counts, prices, uptime and traffic of all services, or of the services of one account.',
  })
  @Requires('services:read', { scope: 'account' })
  servicesSummary(
    @Arg('period', () => SummaryPeriod, {
      defaultValue: SummaryPeriod.LAST_30_DAYS,
      description: 'Period of whole UTC days that ends now.',
    })
    period: SummaryPeriod,
    @Arg('accountId', () => ID, {
      nullable: true,
      description: 'Only services of this account (`acc_…`). Default: all accounts that you can access.',
    })
    accountId: string | undefined,
    @Ctx() { summary }: ServicesContext,
  ): Promise<ServicesSummary> {
    return summary.read(period, accountId);
  }
}
