import { Check, Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { BillTo } from '../customers/bill-to.ts';
import { InvoiceStatus, invoiceStates } from './invoice.states.ts';

/** An invoice of an account for services (specification 2.6, 3.2). Its lines are separate records. */
@ObjectType({ description: 'An invoice for the services of an account.' })
@Directive('@key(fields: "id")')
@Check({
  name: 'invoice_money_check',
  expression: `"tax_amount" >= 0 and "amount" >= "tax_amount" and "amount_paid" >= 0 and "amount_reserved" >= 0
       and "amount_credited" >= 0 and "credit_applied" >= 0 and "amount_refunded" >= 0
       and "amount_paid" + "amount_reserved" + "amount_credited" + "credit_applied" <= "amount" and "amount_refunded" <= "amount_paid"`,
})
@Entity({ tableName: 'invoice' })
@OrganizationFilter({ account: 'accountId' })
@Unique({ properties: ['organizationId', 'number'] })
@Unique({ properties: ['organizationId', 'source'] })
@Index({ properties: ['statusDueAt'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'accountId', 'createdAt'] })
@Index({ properties: ['organizationId', 'accountId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'status', 'createdAt', 'id'] })
export class Invoice {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, {
    description: 'Invoice number for people to quote, such as INV-1042. The invoice numbers of an organization have no gaps.',
  })
  @Property({ type: 'text' })
  number!: string;

  @Field(() => ID, { description: 'Account that owes the amount (`acc_…`).' })
  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => InvoiceStatus, { description: 'Current state of the invoice.' })
  @Enum({ items: () => InvoiceStatus, type: 'text' })
  status: InvoiceStatus = InvoiceStatus.PENDING;

  @Field(() => Decimal, { description: 'What is to be paid: the sum of all lines and of the taxes, in `currency`.' })
  @Property({ type: MoneyType })
  amount!: Decimal;

  @Field(() => Decimal, { description: 'Part of `amount` that is tax.' })
  @Property({ type: MoneyType, default: '0' })
  taxAmount: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Sum of the successful payments. Refunds do not reduce it.' })
  @Property({ type: MoneyType, default: '0' })
  amountPaid: Decimal = new Decimal(0);

  /** Sum of the payments whose outcome is unknown. No other payment can use this part of the invoice. */
  @Property({ type: MoneyType, default: '0' })
  amountReserved: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Sum of the credit notes for what was not paid yet.' })
  @Property({ type: MoneyType, default: '0' })
  amountCredited: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Credit of the account that was used for the invoice.' })
  @Property({ type: MoneyType, default: '0' })
  creditApplied: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Sum of the refunds of its payments.' })
  @Property({ type: MoneyType, default: '0' })
  amountRefunded: Decimal = new Decimal(0);

  @Field(() => String, { description: 'ISO 4217 code of all amounts, such as USD.' })
  @Property({ type: 'text' })
  currency!: string;

  @Field(() => Date, { description: 'Day by which the invoice must be paid.' })
  @Property({ type: 'datetime', length: 3 })
  dueDate!: Date;

  @Field(() => Date, { nullable: true, description: 'When the invoice was paid in full. Null before that time.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  paidDate: Date | null = null;

  @Large(5_000)
  @Field(() => String, { nullable: true, description: 'Free text of the invoice. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  notes: string | null = null;

  @Field(() => BillTo, {
    nullable: true,
    description:
      'The customer as of the issue of the invoice. Later changes of the account do not change it. Null on invoices of earlier releases.',
  })
  @Property({ type: 'json', nullable: true })
  billTo: BillTo | null = null;

  /** Time zone of the account at the issue, in whose months the lines count as costs. Null on invoices of earlier releases: UTC. */
  @Property({ type: 'text', nullable: true })
  timezone: string | null = null;

  /** Subscription that the invoice bills. Null if it bills none. */
  @Property({ type: 'text', nullable: true })
  subscriptionId: string | null = null;

  /** Id of the event that caused the invoice. Null if a request caused it. */
  @Property({ type: 'text', nullable: true })
  source: string | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  @Revision()
  revision = 1;

  /** When a pending invoice becomes overdue. The database sets it from `dueDate` and `status`. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  statusDueAt: Date | null = null;

  @Field(() => Decimal, { description: 'Sum of all lines, before taxes.' })
  get subtotal(): Decimal {
    return this.amount.minus(this.taxAmount);
  }

  @Field(() => Decimal, { description: 'What is still to be paid. 0 if the invoice is paid or cancelled.' })
  get amountDue(): Decimal {
    const isOpen = this.status === InvoiceStatus.PENDING || this.status === InvoiceStatus.OVERDUE;
    return isOpen ? this.amount.minus(this.amountPaid).minus(this.amountCredited).minus(this.creditApplied) : new Decimal(0);
  }

  /** The part of `amountDue` that no payment in progress is about. A new payment can be at most this amount. */
  get amountOpen(): Decimal {
    return this.amountDue.isZero() ? this.amountDue : this.amountDue.minus(this.amountReserved);
  }

  /**
   * Moves the invoice to `status`.
   * @throws InvalidState
   */
  moveTo(status: InvoiceStatus, now: Date): void {
    invoiceStates.check(this.status, status);
    this.status = status;
    this.paidDate = status === InvoiceStatus.PAID ? now : null;
    this.updatedAt = now;
  }
}
