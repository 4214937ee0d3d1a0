import { Field, ID, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';
import { CostCategory } from './cost.states.ts';

/** Costs by category. They add up to the total. */
@ObjectType({ description: 'Costs by category. They add up to the total.' })
export class CostBreakdown implements Record<CostCategory, Decimal> {
  @Field(() => Decimal, { description: 'Internet access and private networks.' })
  connectivity!: Decimal;

  @Field(() => Decimal, { description: 'Phone systems, trunks and contact centers.' })
  voice!: Decimal;

  @Field(() => Decimal, { description: 'Virtual machines and storage.' })
  cloud!: Decimal;

  @Field(() => Decimal, { description: 'Monitoring, protection and response.' })
  security!: Decimal;

  @Field(() => Decimal, { description: 'Platforms for models, and automation that uses them.' })
  ai!: Decimal;

  @Field(() => Decimal, { description: 'All other services.' })
  other!: Decimal;
}

/** The costs of the current month. */
@ObjectType({ description: 'Costs of the current month that are already invoiced.' })
export class CurrentMonthCosts {
  @Field(() => Decimal, { description: 'Sum of all categories.' })
  total!: Decimal;

  @Field(() => CostBreakdown, { description: 'Costs by category.' })
  breakdown!: CostBreakdown;
}

/** Account, services and currency of a cost analysis. A null account means all accounts. */
export interface CostScope {
  accountId: string | null;
  /** Services of the figures. Null means all services of the accounts. */
  serviceIds: readonly string[] | null;
  currency: string;
}

/** Development of the costs. A resolver computes the savings, because only the savings need to read the services. */
@ObjectType({ description: 'How costs develop.' })
export class CostTrends {
  @Field(() => Decimal, {
    nullable: true,
    description:
      'Change of the monthly price of all services since the end of last month, in percent. Fees and usage do not count. Null if there was no price at the end of last month, and for an analysis of single services.',
  })
  monthlyGrowth!: Decimal | null;

  scope!: CostScope;
}

/** Costs of services (specification 2.6). The costs of an invoice line count for the months that the line bills. */
@ObjectType({
  description:
    'Costs of services, without tax and after deduction of credits. The price of a service for a period, such as a year, is divided among the months of this period. Other costs belong to the month of their invoice.',
})
export class CostAnalysis {
  @Field(() => String, {
    description: 'ISO 4217 code of all amounts: the requested currency, or the currency with the highest costs of this year.',
  })
  currency!: string;

  @Field(() => [String], { description: 'Other currencies with costs in this year. Amounts of different currencies are never added.' })
  otherCurrencies!: string[];

  @Field(() => CurrentMonthCosts, { description: 'Costs of the current month.' })
  currentMonth!: CurrentMonthCosts;

  @Field(() => Decimal, { description: 'Costs from January to the current month, both inclusive.' })
  yearToDate!: Decimal;

  @Field(() => CostTrends, { description: 'How the costs develop.' })
  trends!: CostTrends;
}

/** Costs of services in a period. */
@ObjectType({ description: 'Costs of services in a period, without tax and after deduction of credits.' })
export class CostPoint {
  @Field(() => String, { description: 'First month of the period, such as `2026-01`.' })
  month!: string;

  @Field(() => String, { description: 'ISO 4217 code of the amount.' })
  currency!: string;

  @Field(() => Decimal, { description: 'Costs in the period.' })
  amount!: Decimal;

  @Field(() => ID, { nullable: true, description: 'Account that was invoiced. Null unless costs are grouped by account.' })
  accountId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Service that was invoiced, or the account for usage without a service. Null unless costs are grouped by service.',
  })
  serviceId!: string | null;

  @Field(() => CostCategory, { nullable: true, description: 'Category of the services. Null unless costs are grouped by category.' })
  category!: CostCategory | null;
}
