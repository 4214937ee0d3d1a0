import { Arg, Args, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { BillingContext } from '../context.ts';
import { Service } from '../references.ts';
import { UsageEvents, UsageReportQuery } from './usage.inputs.ts';
import { UsageReportPeriod } from './usage.states.ts';
import { ServiceUsage, UsageReceipt, UsageReport, UsageTotal } from './usage.types.ts';

const PERIOD = { nullable: true, description: 'Period of the report. Default: `CURRENT_MONTH`.' } as const;

@Resolver()
export class UsageResolver {
  @Mutation(() => UsageReceipt, {
    description:
      'Record the usage of services. An event that is sent again with the same `source` and `id` counts only once. An event with an invalid value is listed in `refused` with the reason; the other events are recorded. The plan limits the number of events in any 60 seconds.',
  })
  @Requires('billing:create', { scope: 'account' })
  recordUsage(@Args(() => UsageEvents) { events }: UsageEvents, @Ctx() { usageRecording }: BillingContext): Promise<UsageReceipt> {
    return usageRecording.record(events);
  }

  @Query(() => UsageReport, { description: 'Get the usage of services in a period, and its cost.' })
  @Requires('billing:read', { scope: 'account' })
  usageReport(@Args(() => UsageReportQuery) query: UsageReportQuery, @Ctx() { usageReports }: BillingContext): Promise<UsageReport> {
    return usageReports.report(query);
  }

  @Query(() => ServiceUsage, {
    nullable: true,
    description: 'Get the usage of a service in a period, its cost, and the included quantities. Null if the service does not exist.',
  })
  @Requires('billing:read', { scope: 'account' })
  serviceUsage(
    @Arg('id', () => ID, { description: 'Id of the service (`svc_…`).' }) id: string,
    @Arg('period', () => UsageReportPeriod, PERIOD) period: UsageReportPeriod | undefined,
    @Ctx() { usageReports }: BillingContext,
  ): Promise<ServiceUsage | null> {
    return usageReports.ofService(id, period);
  }
}

@Resolver(() => Service)
export class ServiceUsageResolver {
  @FieldResolver(() => [UsageTotal], {
    description: 'Usage of the service in a period: one entry for each metric. Months begin at midnight UTC.',
  })
  @Requires('billing:read', { scope: 'account' })
  usage(
    @Root() { id }: Service,
    @Arg('period', () => UsageReportPeriod, PERIOD) period: UsageReportPeriod | undefined,
    @Ctx() context: BillingContext,
  ): Promise<UsageTotal[]> {
    return context.usageOf(period ?? UsageReportPeriod.CURRENT_MONTH).load(id);
  }
}
