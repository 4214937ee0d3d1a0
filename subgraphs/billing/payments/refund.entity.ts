import { Check, Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { PaymentStatus } from './payment.states.ts';

/** A refund of a payment, or of a part of it. While its outcome is unknown, its amount is reserved on the payment. */
@ObjectType({ description: 'A refund of a payment, or of a part of it.' })
@Check({
  name: 'refund_money_check',
  expression: `"amount" > 0 and "tax_amount" >= 0 and "tax_amount" <= "amount"`,
})
@Entity({ tableName: 'refund' })
@OrganizationFilter({ account: 'accountId' })
@Index({ properties: ['settleDueAt'] })
@Unique({ properties: ['organizationId', 'paymentId', 'reference'] })
@Index({ properties: ['organizationId', 'paymentId', 'createdAt'] })
export class Refund {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => ID, { description: 'Payment that is refunded (`pay_…`).' })
  @Property({ type: 'text' })
  paymentId!: string;

  @Field(() => PaymentStatus, { description: 'Current state of the refund.' })
  @Enum({ items: () => PaymentStatus, type: 'text' })
  status: PaymentStatus = PaymentStatus.PENDING;

  @Field(() => Decimal, { description: 'Amount, in `currency`, with its tax.' })
  @Property({ type: MoneyType })
  amount!: Decimal;

  @Field(() => Decimal, { description: 'Part of `amount` that is tax. 0 until the refund has succeeded.' })
  @Property({ type: MoneyType, default: '0' })
  taxAmount: Decimal = new Decimal(0);

  @Field(() => String, { description: 'ISO 4217 code, such as USD. It is the currency of the payment.' })
  @Property({ type: 'text' })
  currency!: string;

  @Field(() => String, { nullable: true, description: 'Reason of the refund. Null if none was given.' })
  @Property({ type: 'text', nullable: true })
  reason: string | null = null;

  /** The processor's reference of the refund. Null until the processor has returned it. */
  @Property({ type: 'text', nullable: true })
  reference: string | null = null;

  @Field(() => String, { nullable: true, description: 'Why the refund failed, such as `declined`. Null if it has not failed.' })
  @Property({ type: 'text', nullable: true })
  declineCode: string | null = null;

  /** Number of times that the platform has asked the processor for the outcome. */
  @Property({ type: 'integer', default: 0 })
  lookups = 0;

  /** Time at which the platform next asks the processor for the outcome. Null if the outcome is known. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  settleDueAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the outcome became known. Null before that time.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  processedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
