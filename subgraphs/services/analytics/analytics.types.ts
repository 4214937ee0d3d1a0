import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { MeasuredPeriod } from '../samples/period.ts';

@ObjectType({ description: 'Usage of a service in a period. A value is null if it was not measured.' })
export class UsageMetrics {
  @Field(() => String, { nullable: true, description: 'Transferred data with a decimal unit, such as `1.24 TB`.' })
  totalDataTransferred!: string | null;

  @Field(() => Float, { nullable: true, description: 'Transferred data in bytes.' })
  totalDataTransferredBytes!: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Highest used bandwidth, such as `850 Mbps`. Null for services without a bandwidth.',
  })
  peakBandwidthUsage!: string | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Highest used bandwidth in megabits per second: the highest utilization of the present bandwidth.',
  })
  peakBandwidthUsageMbps!: number | null;

  @Field(() => String, { nullable: true, description: 'Average round-trip time, such as `12.4 ms`.' })
  averageLatency!: string | null;

  @Field(() => Float, { nullable: true, description: 'Average round-trip time in milliseconds.' })
  averageLatencyMs!: number | null;

  @Field(() => Int, { nullable: true, description: 'Number of calls. Null for services without calls.' })
  totalCalls!: number | null;

  @Field(() => Float, { nullable: true, description: 'Mean opinion score of the calls, from 1 to 5. Null for services without calls.' })
  callQualityScore!: number | null;
}

@ObjectType({ description: 'Costs of a service in a period, in `currency`.' })
export class ServiceCostAnalysis {
  @Field(() => Decimal, {
    description: 'Present monthly price for the part of the period since the service was provisioned. A month counts as 30 days.',
  })
  totalCost!: Decimal;

  @Field(() => Decimal, { nullable: true, description: '`totalCost` per gigabyte of transferred data. Null without data.' })
  costPerGb!: Decimal | null;

  @Field(() => Decimal, {
    nullable: true,
    description:
      'Amount that a smaller bandwidth would save each month. The smaller bandwidth is the smallest bandwidth in the catalog of which at most 80 % would be used in 95 % of the measurements. Null if nothing was measured, or if the service has no bandwidth.',
  })
  optimizationPotential!: Decimal | null;

  @Field(() => String, { description: 'ISO 4217 code of the amounts, such as USD.' })
  currency!: string;
}

@ObjectType({ description: 'Changes compared with the previous period of the same length. Null if one of the two periods has no data.' })
export class ServiceTrends {
  @Field(() => Float, { nullable: true, description: 'Growth of the transferred data in percent.' })
  usageGrowth!: number | null;

  @Field(() => Float, { nullable: true, description: 'Decrease of the average latency in percent. Negative if the latency grew.' })
  performanceImprovement!: number | null;
}

@ObjectType({ description: 'Analysis of the usage, costs and trends of a service.' })
export class ServiceAnalytics {
  @Field(() => ID, { description: 'Service that is analyzed (`svc_…`).' })
  serviceId!: string;

  @Field(() => MeasuredPeriod, { description: 'Requested period.' })
  period!: MeasuredPeriod;

  @Field(() => UsageMetrics, { description: 'Usage in the period.' })
  usageMetrics!: UsageMetrics;

  @Field(() => ServiceCostAnalysis, { description: 'Costs in the period.' })
  costAnalysis!: ServiceCostAnalysis;

  @Field(() => ServiceTrends, { description: 'Changes compared with the previous period.' })
  trends!: ServiceTrends;
}

/** Period of a summary. It consists of whole UTC days, and today is the last day. */
export enum SummaryPeriod {
  LAST_7_DAYS = 'last_7_days',
  LAST_30_DAYS = 'last_30_days',
  LAST_90_DAYS = 'last_90_days',
}
registerEnumType(SummaryPeriod, {
  name: 'SummaryPeriod',
  description: 'Number of UTC days, including today.',
  valuesConfig: {
    LAST_7_DAYS: { description: 'Today and the six days before.' },
    LAST_30_DAYS: { description: 'Today and the 29 days before.' },
    LAST_90_DAYS: { description: 'Today and the 89 days before.' },
  },
});

@ObjectType({ description: 'Number of services with a status.' })
export class ServiceStatusCount {
  @Field(() => ServiceStatus, { description: 'Status of the services.' })
  status!: ServiceStatus;

  @Field(() => Int, { description: 'Number of services.' })
  count!: number;
}

@ObjectType({ description: 'Number of services in a category of the catalog.' })
export class ServiceCategoryCount {
  @Field(() => String, { description: 'Category of the catalog, such as `connectivity`.' })
  category!: string;

  @Field(() => Int, { description: 'Number of services.' })
  count!: number;
}

@ObjectType({ description: 'Sum of monthly prices in a currency.' })
export class MonthlyPriceTotal {
  @Field(() => String, { description: 'ISO 4217 code of the amount, such as USD.' })
  currency!: string;

  @Field(() => Decimal, { description: 'Sum of the monthly prices of all services that are in service.' })
  amount!: Decimal;
}

@ObjectType({ description: 'A service that was not always available.' })
export class LeastAvailableService {
  @Field(() => ID, { description: 'Id of the service (`svc_…`).' })
  serviceId!: string;

  @Field(() => String, { description: 'Name of the service.' })
  name!: string;

  @Field(() => ServiceStatus, { description: 'Current status of the service.' })
  status!: ServiceStatus;

  @Field(() => Float, { description: 'Percentage of the time in which the service worked.' })
  uptimePercentage!: number;
}

@ObjectType({ description: 'Summary of all services of the organization, or of one account.' })
export class ServicesSummary {
  @Field(() => SummaryPeriod, { description: 'Requested period.' })
  period!: SummaryPeriod;

  @Field(() => Date, { description: 'Start of the period: the beginning of a UTC day.' })
  from!: Date;

  @Field(() => Date, { description: 'End of the period: the time of the request.' })
  to!: Date;

  @Field(() => Int, { description: 'Number of services in all states.' })
  totalServices!: number;

  @Field(() => [ServiceStatusCount], { description: 'Number of services with each status.' })
  byStatus!: ServiceStatusCount[];

  @Field(() => [ServiceCategoryCount], { description: 'Number of services in each category of the catalog.' })
  byCategory!: ServiceCategoryCount[];

  @Field(() => [MonthlyPriceTotal], { description: 'Monthly prices of the services that are in service: one sum for each currency.' })
  monthlyPrices!: MonthlyPriceTotal[];

  @Field(() => Float, {
    nullable: true,
    description:
      'Percentage of the time in which the services worked, over all services and the whole period. Maintenance and suspension are left out of the calculation. Null without a service.',
  })
  uptimePercentage!: number | null;

  @Field(() => String, { description: 'Transferred data of all services with a decimal unit, such as `1.24 TB`.' })
  totalDataTransferred!: string;

  @Field(() => Float, { description: 'Transferred data of all services in bytes.' })
  totalDataTransferredBytes!: number;

  @Field(() => [LeastAvailableService], {
    description: 'The five services with the lowest uptime. Services that were always available are omitted.',
  })
  leastAvailable!: LeastAvailableService[];
}
