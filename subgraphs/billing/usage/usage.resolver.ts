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
      'Record what services used. Each event counts once, however often it is sent. An event that breaks a rule is refused alone, with its reason. The plan limits the number of events in 60 seconds.',
  })
  @Requires('billing:create', { scope: 'account' })
  recordUsage(@Args(() => UsageEvents) { events }: UsageEvents, @Ctx() { usageRecording }: BillingContext): Promise<UsageReceipt> {
    return usageRecording.record(events);
  }

  @Query(() => UsageReport, { description: 'Get what services used in a period, and what it costs.' })
  @Requires('billing:read', { scope: 'account' })
  usageReport(@Args(() => UsageReportQuery) query: UsageReportQuery, @Ctx() { usageReports }: BillingContext): Promise<UsageReport> {
    return usageReports.report(query);
  }

  @Query(() => ServiceUsage, {
    nullable: true,
    description: 'Get what a service used in a period, with what its prices include. Null if the service does not exist.',
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
  @FieldResolver(() => [UsageTotal], { description: 'What the service used in a period, by metric. Months are those of UTC.' })
  @Requires('billing:read', { scope: 'account' })
  usage(
    @Root() { id }: Service,
    @Arg('period', () => UsageReportPeriod, PERIOD) period: UsageReportPeriod | undefined,
    @Ctx() context: BillingContext,
  ): Promise<UsageTotal[]> {
    return context.usageOf(period ?? UsageReportPeriod.CURRENT_MONTH).load(id);
  }
}
