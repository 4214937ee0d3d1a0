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

  @Field(() => Int, { description: 'Number of events that had been recorded before, or that are twice in the request.' })
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

@ObjectType({ description: 'Sums of the usage, by metric.' })
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
  @Field(() => ID, { description: 'Service that was used (`svc_…`).' })
  serviceId!: string;

  @Field(() => UsageMetric, { description: 'What was used.' })
  metric!: UsageMetric;

  @Field(() => Decimal, { description: 'Used quantity, in `unit`.' })
  usage!: Decimal;

  @Field(() => String, { description: 'Unit of `usage`, such as `GB`.' })
  unit!: string;

  @Field(() => Decimal, { description: 'Cost of the usage, in `currency`. 0 if the usage has no price.' })
  cost!: Decimal;

  @Field(() => String, { description: 'ISO 4217 code of the currency in which the service is billed, such as USD.' })
  currency!: string;

  @Field(() => [UsageDay], { nullable: true, description: 'Days with usage, oldest first. Null unless the report is detailed.' })
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

@ObjectType({ description: 'What services used in a period, and what it costs.' })
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
      'Expected cost of the whole month, in `currency`: the recurring prices of the services, and their usage if it continues as so far.',
  })
  estimatedMonthlyCost!: Decimal;

  @Field(() => [CurrencyCost], { description: 'Costs in other currencies.' })
  otherCurrencies!: CurrencyCost[];
}

@ObjectType({ description: 'Usage of a service in one metric, with what its price includes.' })
export class UsageTotal {
  @Field(() => UsageMetric, { description: 'What was used.' })
  metric!: UsageMetric;

  @Field(() => Decimal, { description: 'Used quantity, in `unit`.' })
  usage!: Decimal;

  @Field(() => String, { description: 'Unit of `usage`, such as `GB`.' })
  unit!: string;

  @Field(() => Decimal, { description: 'Quantity of each month that costs nothing.' })
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

@ObjectType({ description: 'What a service used in a period, and what it costs.' })
export class ServiceUsage {
  @Field(() => ID, { description: 'Service that was used (`svc_…`).' })
  serviceId!: string;

  @Field(() => UsageReportPeriod, { description: 'Period of the report.' })
  period!: UsageReportPeriod;

  @Field(() => String, { description: 'First day of the period, such as 2026-01-01.' })
  firstDay!: string;

  @Field(() => String, { description: 'Last day of the period so far, such as 2026-01-31.' })
  lastDay!: string;

  @Field(() => String, { description: 'Time zone of the account, in which the days are.' })
  timezone!: string;

  @Field(() => String, { description: 'ISO 4217 code of all amounts, such as USD.' })
  currency!: string;

  @Field(() => [UsageTotal], { description: 'One entry for each metric that was used or has a price.' })
  usage!: UsageTotal[];

  @Field(() => Decimal, { description: 'Cost of the usage in the period: the exact sum, rounded once.' })
  usageCost!: Decimal;
}
