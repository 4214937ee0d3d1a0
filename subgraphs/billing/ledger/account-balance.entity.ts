import { Check, Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';

/** Due amount and credit of an account, in one currency. Only the function `billing.post` writes it. */
@ObjectType({ description: 'Due amount and credit of an account, in one currency.' })
@Check({
  name: 'account_balance_check',
  expression: `"receivable" >= 0 and "credit" >= 0`,
})
@Entity({ tableName: 'account_balance' })
@OrganizationFilter({ account: 'accountId' })
export class AccountBalance {
  @PrimaryKey({ type: 'text' })
  organizationId!: string;

  @PrimaryKey({ type: 'text' })
  accountId!: string;

  @Field(() => String, { description: 'ISO 4217 code of the currency, such as USD.' })
  @PrimaryKey({ type: 'text' })
  currency!: string;

  @Field(() => Decimal, { description: 'Sum of the unpaid amounts of all invoices.' })
  @Property({ type: MoneyType, default: '0' })
  receivable!: Decimal;

  @Field(() => Decimal, { description: 'Credit that will be used for invoices.' })
  @Property({ type: MoneyType, default: '0' })
  credit!: Decimal;
}
