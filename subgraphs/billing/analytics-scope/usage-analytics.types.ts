import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';
import { TotalUsage } from '../usage/usage.types.ts';
import { UsageMetric } from '../usage-prices/usage-metric.states.ts';

@ObjectType({ description: 'Usage of all services on one day.' })
export class UsageOfDay extends TotalUsage {
  @Field(() => String, { description: 'Date in the time zone of the account, such as 2026-01-31.' })
  date!: string;
}

@ObjectType({ description: 'Usage of all services of one type in one metric.' })
export class UsageOfType {
  @Field(() => String, { description: 'Type of the services, such as `internet`.' })
  type!: string;

  @Field(() => UsageMetric, { description: 'Kind of usage.' })
  metric!: UsageMetric;

  @Field(() => Decimal, { description: 'Used quantity, in `unit`.' })
  usage!: Decimal;

  @Field(() => String, { description: 'Unit of `usage`, such as `GB`.' })
  unit!: string;
}

@ObjectType({ description: 'Usage of one service in one metric.' })
export class UsageOfService {
  @Field(() => ID, { description: 'Service that was used (`svc_…`), or the account (`acc_…`) for usage without a service.' })
  serviceId!: string;

  @Field(() => UsageMetric, { description: 'Kind of usage.' })
  metric!: UsageMetric;

  @Field(() => Decimal, { description: 'Used quantity, in `unit`.' })
  usage!: Decimal;

  @Field(() => String, { description: 'Unit of `usage`, such as `GB`.' })
  unit!: string;
}

@ObjectType({ description: 'Metered usage of services in a period. It has quantities and no costs.' })
export class UsageAnalytics {
  @Field(() => TotalUsage, { description: 'Sums over all services.' })
  totalUsage!: TotalUsage;

  @Field(() => TotalUsage, { description: 'The same for the period before.' })
  totalUsageBefore!: TotalUsage;

  @Field(() => [UsageOfDay], { description: 'Every day of the period, oldest first. At most 366.' })
  byDay!: UsageOfDay[];

  @Field(() => [UsageOfType], { description: 'Usage by type of service and metric, sorted by both.' })
  byType!: UsageOfType[];

  @Field(() => [UsageOfService], {
    description: 'The 50 services and metrics with the highest usage of each metric first, sorted by metric.',
  })
  services!: UsageOfService[];

  @Field(() => Int, { description: 'Number of services and metrics with usage.' })
  servicesTotal!: number;
}
