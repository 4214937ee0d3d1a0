import { Check, Entity, Enum, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { DisputeStatus } from './dispute.states.ts';

/** A charge that the customer's bank takes back (a chargeback). The payment processor reports it. */
@ObjectType({ description: "A payment that the customer's bank takes back (a chargeback)." })
@Check({
  name: 'dispute_money_check',
  expression: `"amount" > 0 and "amount_reopened" >= 0 and "amount_reopened" <= "amount"`,
})
@Entity({ tableName: 'dispute' })
@OrganizationFilter({ account: 'accountId' })
@Unique({ properties: ['organizationId', 'paymentId', 'reference'] })
export class Dispute {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => ID, { description: 'Payment that is disputed (`pay_…`).' })
  @Property({ type: 'text' })
  paymentId!: string;

  /** The processor's reference of the dispute. */
  @Property({ type: 'text' })
  reference!: string;

  @Field(() => DisputeStatus, { description: 'Current state of the dispute.' })
  @Enum({ items: () => DisputeStatus, type: 'text' })
  status!: DisputeStatus;

  @Field(() => Decimal, { description: 'Amount that the bank takes back, in `currency`.' })
  @Property({ type: MoneyType })
  amount!: Decimal;

  @Field(() => Decimal, { description: 'Part of `amount` that the customer owed again when the dispute was opened.' })
  @Property({ type: MoneyType, default: '0' })
  amountReopened: Decimal = new Decimal(0);

  @Field(() => String, { description: 'ISO 4217 code, such as USD. It is the currency of the payment.' })
  @Property({ type: 'text' })
  currency!: string;

  @Field(() => String, { description: 'Reason of the bank, as the payment processor states it, such as `fraudulent`.' })
  @Property({ type: 'text' })
  reason!: string;

  @Field(() => Date, { nullable: true, description: 'When the bank decided. Null while the dispute is open.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  closedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
