import { Field, Int, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';
import { AnalyticsPeriod } from './analytics.states.ts';

const money = (description: string): PropertyDecorator => Field(() => Decimal, { description }) as PropertyDecorator;

/** The unpaid amounts of open invoices, in groups by the number of days since they were due. */
@ObjectType({
  description: 'Unpaid amounts of open invoices, split by the number of days since they were due. The amounts add up to `outstanding`.',
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
  @money('Amount at the end of the period.')
  monthly!: Decimal;

  @money('Amount at the start of the period.')
  atStart!: Decimal;

  @money('Increase by services that were provisioned.')
  added!: Decimal;

  @money('Increase by services whose price increased.')
  expanded!: Decimal;

  @money('Change by services whose price decreased: 0 or negative.')
  contracted!: Decimal;

  @money('Change by services that ended: 0 or negative.')
  churned!: Decimal;
}

/** Numbers and amounts of payments by outcome. */
@ObjectType({ description: 'Outcomes of payments in the period.' })
export class PaymentOutcomes {
  @Field(() => Int, { description: 'Number of successful payments.' })
  successful!: number;

  @Field(() => Int, { description: 'Number of failed payments.' })
  failed!: number;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Percentage of successful payments among all payments with a known outcome. Null if no payment has a known outcome.',
  })
  successRate!: Decimal | null;
}

/** The figures of one month or account. */
@ObjectType({ description: 'Figures of one month or account.' })
export class AnalyticsFigures {
  @Field(() => String, { description: 'Month such as `2026-01`, or id of the account (`acc_…`).' })
  key!: string;

  @money('Invoices with tax, minus cancelled invoices.')
  invoiced!: Decimal;

  @money('Successful payments.')
  collected!: Decimal;

  @money('Money that was given back.')
  refunded!: Decimal;

  @money('Credit notes and other corrections in favor of customers.')
  credited!: Decimal;
}

/** Key figures of the billing of an organization or account (specification 4.5). */
@ObjectType({ description: 'Key figures of billing in a period. All amounts are in one currency.' })
export class BillingAnalytics {
  @Field(() => AnalyticsPeriod, { description: 'Requested period.' })
  period!: AnalyticsPeriod;

  @Field(() => Date, { description: 'Start of the period (UTC).' })
  from!: Date;

  @Field(() => Date, { description: 'End of the period (UTC), exclusive.' })
  to!: Date;

  @Field(() => String, {
    description: 'ISO 4217 code of all amounts: the requested currency, or the currency with the highest invoiced amount.',
  })
  currency!: string;

  @Field(() => [String], { description: 'Other currencies with figures. Amounts of different currencies are never added.' })
  otherCurrencies!: string[];

  @money('Invoices of the period with tax, minus the invoices that were cancelled in the period.')
  invoiced!: Decimal;

  @money('Successful payments of the period.')
  collected!: Decimal;

  @money('Money that was given back in the period.')
  refunded!: Decimal;

  @money('Credit notes and other corrections in favor of customers in the period.')
  credited!: Decimal;

  @money('Sum of the unpaid amounts of all open invoices now.')
  outstanding!: Decimal;

  @money('Part of `outstanding` whose due day has passed.')
  overdue!: Decimal;

  @Field(() => Ageing, { description: '`outstanding`, split by the number of days since the invoices were due.' })
  ageing!: Ageing;

  @Field(() => RecurringRevenue, { description: 'Monthly recurring revenue.' })
  recurring!: RecurringRevenue;

  @Field(() => PaymentOutcomes, { description: 'Outcomes of payments.' })
  payments!: PaymentOutcomes;

  @Field(() => Decimal, {
    nullable: true,
    description:
      'Days sales outstanding: `outstanding`, divided by the amount that was invoiced in the last 90 days, times 90. Null if nothing was invoiced.',
  })
  daysSalesOutstanding!: Decimal | null;

  @Field(() => [AnalyticsFigures], { description: 'Figures for each month or account. Empty without `groupBy`.' })
  groups!: AnalyticsFigures[];
}
