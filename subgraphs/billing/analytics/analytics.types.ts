import { Field, Int, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';
import { AnalyticsPeriod } from './analytics.states.ts';

const money = (description: string): PropertyDecorator => Field(() => Decimal, { description }) as PropertyDecorator;

/** What is still to be paid, by how long it is overdue. */
@ObjectType({
  description: 'What is still to be paid of open invoices, by the number of days since they were due. The amounts add up to `outstanding`.',
})
export class Ageing {
  @money('Not due yet, or due today.')
  notDue!: Decimal;

  @money('1 to 30 days overdue.')
  days30!: Decimal;

  @money('31 to 60 days overdue.')
  days60!: Decimal;

  @money('61 to 90 days overdue.')
  days90!: Decimal;

  @money('More than 90 days overdue.')
  older!: Decimal;
}

/** The monthly recurring revenue, and how it changed in the period. */
@ObjectType({
  description:
    'Sum of the monthly prices of all services in operation, and how it changed in the period: `atStart` + `added` + `expanded` + `contracted` + `churned` = `monthly`.',
})
export class RecurringRevenue {
  @money('At the end of the period.')
  monthly!: Decimal;

  @money('At the start of the period.')
  atStart!: Decimal;

  @money('From services that were provisioned.')
  added!: Decimal;

  @money('From services whose price increased.')
  expanded!: Decimal;

  @money('From services whose price decreased. 0 or negative.')
  contracted!: Decimal;

  @money('From services that ended. 0 or negative.')
  churned!: Decimal;
}

/** The outcomes of payments. */
@ObjectType({ description: 'Outcomes of payments in the period.' })
export class PaymentOutcomes {
  @Field(() => Int, { description: 'Number of successful payments.' })
  successful!: number;

  @Field(() => Int, { description: 'Number of failed payments.' })
  failed!: number;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Successful payments in percent of all with a known outcome. Null without such payments.',
  })
  successRate!: Decimal | null;
}

/** The figures of one month or account. */
@ObjectType({ description: 'Figures of one month or account.' })
export class AnalyticsFigures {
  @Field(() => String, { description: 'Month such as `2026-01`, or id of the account (`acc_…`).' })
  key!: string;

  @money('Invoices with tax, less cancelled ones.')
  invoiced!: Decimal;

  @money('Successful payments.')
  collected!: Decimal;

  @money('Money that was given back.')
  refunded!: Decimal;

  @money('Credit notes and other corrections in favor of customers.')
  credited!: Decimal;
}

/** Key figures of billing (specification 4.5). */
@ObjectType({ description: 'Key figures of billing in a period. All amounts are in one currency.' })
export class BillingAnalytics {
  @Field(() => AnalyticsPeriod, { description: 'Requested period.' })
  period!: AnalyticsPeriod;

  @Field(() => Date, { description: 'Start of the period (UTC).' })
  from!: Date;

  @Field(() => Date, { description: 'End of the period (UTC), exclusive.' })
  to!: Date;

  @Field(() => String, { description: 'ISO 4217 code of all amounts: the requested currency, or the one with the highest invoices.' })
  currency!: string;

  @Field(() => [String], { description: 'Other currencies with figures. Amounts of different currencies are never added.' })
  otherCurrencies!: string[];

  @money('Invoices of the period with tax, less those that were cancelled in the period.')
  invoiced!: Decimal;

  @money('Successful payments of the period.')
  collected!: Decimal;

  @money('Money that was given back in the period.')
  refunded!: Decimal;

  @money('Credit notes and other corrections in favor of customers in the period.')
  credited!: Decimal;

  @money('What is still to be paid of all open invoices now.')
  outstanding!: Decimal;

  @money('Part of `outstanding` whose due day has passed.')
  overdue!: Decimal;

  @Field(() => Ageing, { description: '`outstanding` by the time since it was due.' })
  ageing!: Ageing;

  @Field(() => RecurringRevenue, { description: 'Monthly recurring revenue.' })
  recurring!: RecurringRevenue;

  @Field(() => PaymentOutcomes, { description: 'Outcomes of payments.' })
  payments!: PaymentOutcomes;

  @Field(() => Decimal, {
    nullable: true,
    description:
      'Days sales outstanding: `outstanding`, divided by what was invoiced in the last 90 days, times 90. Null if nothing was invoiced.',
  })
  daysSalesOutstanding!: Decimal | null;

  @Field(() => [AnalyticsFigures], { description: 'Figures by month or account. Empty without `groupBy`.' })
  groups!: AnalyticsFigures[];
}
