import { Check, Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { PaymentOrigin, PaymentStatus } from './payment.states.ts';

/**
 * An attempt to pay an invoice, or a part of it (specification 2.6, 3.3). While its outcome is unknown, its amount is
 * reserved on the invoice.
 */
@ObjectType({ description: 'An attempt to pay an invoice, or a part of it.' })
@Directive('@key(fields: "id")')
@Check({
  name: 'payment_money_check',
  expression: `"amount" > 0 and "amount_applied" <= "amount" and "amount_refunded" >= 0 and "refund_reserved" >= 0
       and "amount_refunded" + "refund_reserved" <= "amount_applied"`,
})
@Check({ name: 'payment_disputed_check', expression: `"amount_disputed" >= 0` })
@Entity({ tableName: 'payment' })
@OrganizationFilter({ account: 'accountId' })
@Unique({
  name: 'payment_automatic_index',
  properties: ['organizationId', 'invoiceId'],
  where: `"status" = 'pending' and "origin" = 'auto'`,
})
@Index({ properties: ['settleDueAt'] })
@Index({ properties: ['processor', 'reference'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'accountId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'invoiceId', 'createdAt'] })
@Index({
  name: 'payment_unsuccessful_index',
  properties: ['organizationId', 'status', 'createdAt', 'id'],
  where: `"status" in ('pending', 'failed')`,
})
export class Payment {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Account that pays (`acc_…`).' })
  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => ID, { description: 'Invoice that is paid (`inv_…`).' })
  @Property({ type: 'text' })
  invoiceId!: string;

  @Field(() => ID, { description: 'Payment method that is charged (`pm_…`).' })
  @Property({ type: 'text' })
  paymentMethodId!: string;

  @Field(() => PaymentStatus, { description: 'Current state of the payment.' })
  @Enum({ items: () => PaymentStatus, type: 'text' })
  status: PaymentStatus = PaymentStatus.PENDING;

  @Field(() => PaymentOrigin, { description: 'Who started the payment.' })
  @Enum({ items: () => PaymentOrigin, type: 'text', default: 'request' })
  origin: PaymentOrigin = PaymentOrigin.REQUEST;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of the automatic attempt to pay the invoice, from 1. Null if an API request started the payment.',
  })
  @Property({ type: 'integer', nullable: true })
  attempt: number | null = null;

  @Field(() => Decimal, { description: 'Amount, in `currency`.' })
  @Property({ type: MoneyType })
  amount!: Decimal;

  @Field(() => String, { description: 'ISO 4217 code, such as USD. It is the currency of the invoice.' })
  @Property({ type: 'text' })
  currency!: string;

  /**
   * Part of the payment that pays the invoice. If the payment succeeded too late, the remaining amount is credit of the account. A dispute
   * reduces `amountApplied`.
   */
  @Property({ type: MoneyType, default: '0' })
  amountApplied: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Sum of the successful refunds.' })
  @Property({ type: MoneyType, default: '0' })
  amountRefunded: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Sum of the open disputes. While it is above 0, the payment cannot be refunded.' })
  @Property({ type: MoneyType, default: '0' })
  amountDisputed: Decimal = new Decimal(0);

  /** Sum of the refunds whose outcome is unknown. */
  @Property({ type: MoneyType, default: '0' })
  refundReserved: Decimal = new Decimal(0);

  @Field(() => String, { description: 'Payment processor: `stripe`, or `test` for simulated payments.' })
  @Property({ type: 'text' })
  processor!: string;

  @Field(() => Boolean, { description: 'True if no real money moves.' })
  @Property({ type: 'boolean' })
  simulated!: boolean;

  /** The processor's reference of the charge. Null until the processor has returned it. */
  @Property({ type: 'text', nullable: true })
  reference: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Id of the completed transaction (`txn_…`). Null until the payment has succeeded.' })
  @Property({ type: 'text', nullable: true })
  transactionId: string | null = null;

  @Field(() => String, { nullable: true, description: 'Why the payment failed, such as `insufficient_funds`. Null if it has not failed.' })
  @Property({ type: 'text', nullable: true })
  declineCode: string | null = null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True if the same payment method can never pay this invoice. Null if the payment has not failed.',
  })
  @Property({ type: 'boolean', nullable: true })
  declineIsFinal: boolean | null = null;

  /** The available amount that the processor states when it declines a payment for insufficient funds. Null if it states none. */
  @Property({ type: MoneyType, nullable: true })
  availableAmount: Decimal | null = null;

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

  @Field(() => Decimal, { description: 'Amount that can still be refunded.' })
  get amountRefundable(): Decimal {
    return this.amountApplied.minus(this.amountRefunded).minus(this.refundReserved);
  }
}
