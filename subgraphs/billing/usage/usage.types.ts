import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';
import { UsageMetric } from '../usage-prices/usage-metric.states.ts';
import { UsageReportPeriod } from './usage.states.ts';

@ObjectType({ description: 'An event that was not recorded.' })
export class RefusedUsage {
  @Field(() => Int, { description: 'Position of the event in the request, from 0.' })
  index!: number;

  @Field(() => String, { description: 'Your id of the event.' })
  id!: string;

  @Field(() => String, { description: 'Why the event was refused.' })
  reason!: string;
}

@ObjectType({ description: 'Result of recording usage. The numbers of accepted, duplicate and refused events add up to all events.' })
export class UsageReceipt {
  @Field(() => Int, { description: 'Number of events that were recorded.' })
  accepted!: number;

  @Field(() => Int, { description: 'Number of events that were recorded by an earlier request, or that the request contains twice.' })
  duplicates!: number;

  @Field(() => [RefusedUsage], { description: 'Events that were not recorded, in the order of the request.' })
  refused!: RefusedUsage[];
}

@ObjectType({ description: 'Usage of one day.' })
export class UsageDay {
  @Field(() => String, { description: 'Date in the time zone of the account, such as 2026-01-31.' })
  date!: string;

  @Field(() => Decimal, { description: 'Used quantity.' })
  usage!: Decimal;
}

@ObjectType({ description: 'Total usage of each metric.' })
export class TotalUsage {
  @Field(() => Decimal, { description: 'Minutes of telephone calls.' })
  voiceMinutes!: Decimal;

  @Field(() => Decimal, { description: 'Transferred data, in 10^9 bytes.' })
  dataGb!: Decimal;

  @Field(() => Decimal, { description: 'Stored data, in 10^9 bytes.' })
  cloudStorageGb!: Decimal;

  @Field(() => Decimal, { description: 'Calls of APIs that services offer.' })
  apiCalls!: Decimal;
}

@ObjectType({ description: 'Usage of a service in one metric.' })
export class UsageReportRow {
  @Field(() => ID, {
    description: 'Service that was used (`svc_…`), or the account (`acc_…`) for usage without a service, such as API requests.',
  })
  serviceId!: string;

  @Field(() => UsageMetric, { description: 'Kind of usage.' })
  metric!: UsageMetric;

  @Field(() => Decimal, { description: 'Used quantity, in `unit`.' })
  usage!: Decimal;

  @Field(() => String, { description: 'Unit of `usage`, such as `GB`.' })
  unit!: string;

  @Field(() => Decimal, { description: 'Cost of the usage, in `currency`. 0 if the usage has no price.' })
  cost!: Decimal;

  @Field(() => String, { description: 'ISO 4217 code of the currency in which the service is billed, such as USD.' })
  currency!: string;

  @Field(() => [UsageDay], { nullable: true, description: 'Days with usage, oldest first. Null if the report is not detailed.' })
  days!: UsageDay[] | null;
}

@ObjectType({ description: 'Cost in one currency. Amounts of different currencies are never added.' })
export class CurrencyCost {
  @Field(() => String, { description: 'ISO 4217 code, such as EUR.' })
  currency!: string;

  @Field(() => Decimal, { description: 'Cost of the usage in the period.' })
  usageCost!: Decimal;

  @Field(() => Decimal, { description: 'Expected cost of the whole month.' })
  estimatedMonthlyCost!: Decimal;
}

@ObjectType({ description: 'Usage of services in a period, and its cost.' })
export class UsageReport {
  @Field(() => UsageReportPeriod, { description: 'Period of the report.' })
  period!: UsageReportPeriod;

  @Field(() => String, { description: 'First day of the period, such as 2026-01-01.' })
  firstDay!: string;

  @Field(() => String, { description: 'Last day of the period so far, such as 2026-01-31.' })
  lastDay!: string;

  @Field(() => String, { description: 'Time zone of the days: the zone of the account, or UTC if the report is about several accounts.' })
  timezone!: string;

  @Field(() => TotalUsage, { description: 'Sums over all services of the report.' })
  totalUsage!: TotalUsage;

  @Field(() => [UsageReportRow], { description: 'One row for each service and metric, sorted by service.' })
  services!: UsageReportRow[];

  @Field(() => Int, { description: 'Number of rows in the whole report.' })
  servicesTotal!: number;

  @Field(() => String, { description: 'ISO 4217 code of `usageCost` and `estimatedMonthlyCost`.' })
  currency!: string;

  @Field(() => Decimal, { description: 'Cost of the usage in the period, in `currency`: the exact sum, rounded once.' })
  usageCost!: Decimal;

  @Field(() => Decimal, {
    description:
      'Expected cost of the whole month, in `currency`: the recurring prices of the services, and the cost of their usage if the usage continues at the same rate.',
  })
  estimatedMonthlyCost!: Decimal;

  @Field(() => [CurrencyCost], { description: 'Costs in other currencies.' })
  otherCurrencies!: CurrencyCost[];
}

@ObjectType({ description: 'Usage of a service in one metric, with the quantity that its price includes.' })
export class UsageTotal {
  @Field(() => UsageMetric, { description: 'Kind of usage.' })
  metric!: UsageMetric;

  @Field(() => Decimal, { description: 'Used quantity, in `unit`.' })
  usage!: Decimal;

  @Field(() => String, { description: 'Unit of `usage`, such as `GB`.' })
  unit!: string;

  @Field(() => Decimal, { description: 'Quantity that costs nothing in each month.' })
  included!: Decimal;

  @Field(() => Decimal, { description: 'Part of `included` that is left in the last month of the period.' })
  remaining!: Decimal;

  @Field(() => Decimal, { description: 'Cost of the usage, in `currency`. 0 if the usage has no price.' })
  cost!: Decimal;

  @Field(() => String, { description: 'ISO 4217 code, such as USD.' })
  currency!: string;

  @Field(() => [UsageDay], { description: 'Days with usage, oldest first.' })
  days!: UsageDay[];
}

@ObjectType({ description: 'Usage of a service in a period, and its cost.' })
export class ServiceUsage {
  @Field(() => ID, { description: 'Service that was used (`svc_…`).' })
  serviceId!: string;

  @Field(() => UsageReportPeriod, { description: 'Period of the report.' })
  period!: UsageReportPeriod;

  @Field(() => String, { description: 'First day of the period, such as 2026-01-01.' })
  firstDay!: string;

  @Field(() => String, { description: 'Last day of the period so far, such as 2026-01-31.' })
  lastDay!: string;

  @Field(() => String, { description: 'Time zone of the days: the time zone of the account.' })
  timezone!: string;

  @Field(() => String, { description: 'ISO 4217 code of all amounts, such as USD.' })
  currency!: string;

  @Field(() => [UsageTotal], { description: 'One entry for each metric that was used or has a price.' })
  usage!: UsageTotal[];

  @Field(() => Decimal, { description: 'Cost of the usage in the period: the exact sum, rounded once.' })
  usageCost!: Decimal;
}
