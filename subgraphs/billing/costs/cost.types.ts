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
@ObjectType({ description: 'Costs of the current month, as far as it was invoiced.' })
export class CurrentMonthCosts {
  @Field(() => Decimal, { description: 'Sum of all categories.' })
  total!: Decimal;

  @Field(() => CostBreakdown, { description: 'Costs by category.' })
  breakdown!: CostBreakdown;
}

/** What a cost analysis covers. */
export interface CostScope {
  accountId: string | null;
  currency: string;
}

/** How costs develop. A resolver computes the savings, because only they need the services. */
@ObjectType({ description: 'How costs develop.' })
export class CostTrends {
  @Field(() => Decimal, {
    nullable: true,
    description:
      'Change of the monthly price of all services since the end of last month, in percent. Fees and usage do not count. Null if there was no price at the end of last month.',
  })
  monthlyGrowth!: Decimal | null;

  scope!: CostScope;
}

/** What services cost, by the months of service (specification 2.6). */
@ObjectType({ description: 'What services cost, net of tax and less credits, by the months of service.' })
export class CostAnalysis {
  @Field(() => String, {
    description: 'ISO 4217 code of all amounts: the requested currency, or the one with the highest costs of this year.',
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

/** What services cost in a period. */
@ObjectType({ description: 'What services cost in a period, net of tax and less credits.' })
export class CostPoint {
  @Field(() => String, { description: 'First month of the period, such as `2026-01`.' })
  month!: string;

  @Field(() => String, { description: 'ISO 4217 code of the amount.' })
  currency!: string;

  @Field(() => Decimal, { description: 'Costs in the period.' })
  amount!: Decimal;

  @Field(() => ID, { nullable: true, description: 'Account that was invoiced. Null unless costs are grouped by account.' })
  accountId!: string | null;

  @Field(() => ID, { nullable: true, description: 'Service that was invoiced. Null unless costs are grouped by service.' })
  serviceId!: string | null;

  @Field(() => CostCategory, { nullable: true, description: 'Category of the services. Null unless costs are grouped by category.' })
  category!: CostCategory | null;
}
