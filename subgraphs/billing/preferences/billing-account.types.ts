import { Field, ObjectType } from 'type-graphql';
import { Decimal } from '../../../kernel/values/money.ts';

/** Due amount and credit of an account, in one currency. Amounts in different currencies are never added. */
@ObjectType({ description: 'Due amount and credit of an account, in one currency.' })
export class Balance {
  @Field(() => String, { description: 'ISO 4217 code of the currency, such as USD.' })
  currency!: string;

  @Field(() => Decimal, { description: 'Sum of the unpaid amounts of all invoices.' })
  due!: Decimal;

  @Field(() => Decimal, { description: 'The part of `due` whose due date has passed.' })
  overdue!: Decimal;

  @Field(() => Decimal, { description: 'Credit of the account. It pays later invoices.' })
  credit!: Decimal;
}

/** The next invoice that the platform will generate for an account. */
@ObjectType({ description: 'The next invoice that the platform will generate for an account.' })
export class NextInvoice {
  @Field(() => Date, { description: 'When the invoice is generated.' })
  date!: Date;

  @Field(() => Decimal, { description: 'Estimated amount in `currency`, calculated from the data of today.' })
  estimate!: Decimal;

  @Field(() => String, { description: 'ISO 4217 code of `estimate`, such as USD.' })
  currency!: string;
}
