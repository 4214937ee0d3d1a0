import { Check, Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { BillTo } from '../customers/bill-to.ts';
import { Seller } from '../invoice-settings/seller.ts';
import type { TaxTerms } from '../taxes/tax-terms.ts';
import { InvoiceStatus, invoiceStates } from './invoice.states.ts';

/** An invoice of an account for services (specification 2.6, 3.2). Its lines are separate records. */
@ObjectType({ description: 'An invoice for the services of an account.' })
@Directive('@key(fields: "id")')
@Check({
  name: 'invoice_money_check',
  expression: `"tax_amount" >= 0 and "amount" >= "tax_amount" and "amount_paid" >= 0 and "amount_reserved" >= 0
       and "amount_credited" >= 0 and "credit_applied" >= 0 and "amount_refunded" >= 0 and "amount_written_off" >= 0
       and "amount_paid" + "amount_reserved" + "amount_credited" + "credit_applied" + "amount_written_off" <= "amount"
       and "amount_refunded" <= "amount_paid"`,
})
// nobody gets both a refund and a credit for the same money
@Check({
  name: 'invoice_returned_check',
  expression: `"amount_returned" >= 0 and "refund_reserved" >= 0
       and "amount_refunded" + "refund_reserved" + "amount_returned" <= "amount_paid" + "credit_applied"`,
})
// credit notes and refunds together give back at most the net amount and the tax
@Check({
  name: 'invoice_reversed_check',
  expression: `"tax_reversed" >= 0 and "tax_reversed" <= "tax_amount"
       and "amount_credited" + "amount_returned" + "amount_refunded" - "tax_reversed" <= "amount" - "tax_amount"`,
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
@Index({ properties: ['organizationId', 'dueDate', 'id'] })
@Index({ name: 'invoice_overdue_index', properties: ['organizationId', 'accountId'], where: `"status" = 'overdue'` })
@Index({
  name: 'invoice_open_index',
  properties: ['organizationId', 'accountId', 'dueDate', 'createdAt', 'id'],
  where: `"status" in ('pending', 'overdue')`,
})
export class Invoice {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, {
    description:
      'Invoice number that people use, for example in letters and bank transfers, such as INV-1042. The invoice numbers of an organization have no gaps.',
  })
  @Property({ type: 'text' })
  number!: string;

  @Field(() => ID, { description: 'Account that owes the amount (`acc_…`).' })
  @Property({ type: 'text' })
  accountId!: string;

  @Field(() => InvoiceStatus, { description: 'Current state of the invoice.' })
  @Enum({ items: () => InvoiceStatus, type: 'text' })
  status: InvoiceStatus = InvoiceStatus.PENDING;

  @Field(() => Decimal, { description: 'Amount of the invoice: the sum of all lines and taxes, in `currency`.' })
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

  @Field(() => Decimal, { description: 'Sum of the credit notes for the unpaid part of the invoice.' })
  @Property({ type: MoneyType, default: '0' })
  amountCredited: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Credit of the account that was used for the invoice.' })
  @Property({ type: MoneyType, default: '0' })
  creditApplied: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Sum of the refunds of its payments.' })
  @Property({ type: MoneyType, default: '0' })
  amountRefunded: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Sum of the credit notes for the paid part of the invoice. It became credit of the account.' })
  @Property({ type: MoneyType, default: '0' })
  amountReturned: Decimal = new Decimal(0);

  @Field(() => Decimal, { description: 'Unpaid amount at the time when the invoice was written off, because nobody will pay it.' })
  @Property({ type: MoneyType, default: '0' })
  amountWrittenOff: Decimal = new Decimal(0);

  /** Sum of the refunds whose outcome is unknown. No credit note can use this part of the paid amount. */
  @Property({ type: MoneyType, default: '0' })
  refundReserved: Decimal = new Decimal(0);

  /** Part of the tax that credit notes and refunds have given back. */
  @Property({ type: MoneyType, default: '0' })
  taxReversed: Decimal = new Decimal(0);

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
      'Customer as it was when the invoice was issued. Later changes of the account do not change it. Null on invoices of earlier releases.',
  })
  @Property({ type: 'json', nullable: true })
  billTo: BillTo | null = null;

  @Field(() => Seller, {
    nullable: true,
    description:
      'Seller as it was when the invoice was issued. Later changes of the invoice settings do not change it. Null on invoices of earlier releases.',
  })
  @Property({ type: 'json', nullable: true })
  seller: Seller | null = null;

  /**
   * IANA name of the time zone of the account when the invoice was issued. The dates of the lines and the months of their costs use this
   * time zone. Null means UTC.
   */
  @Property({ type: 'text', nullable: true })
  timezone: string | null = null;

  /**
   * Time at which the platform began to send the invoice. From then on, the customer may have received it. It becomes null again if all
   * deliveries fail.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  deliveryStartedAt: Date | null = null;

  @Field(() => Date, {
    nullable: true,
    description:
      'When the invoice was first delivered by e-mail. After that, its lines cannot be changed. Null if it has not been delivered.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  deliveredAt: Date | null = null;

  @Field(() => String, { nullable: true, description: 'Why the invoice was written off. Null if it was not written off.' })
  @Property({ type: 'text', nullable: true })
  writeOffReason: string | null = null;

  /**
   * Values that determine the taxes of the invoice, stored when it was issued. Null on invoices of earlier releases, which have no taxes.
   */
  @Property({ type: 'json', nullable: true })
  taxTerms: TaxTerms | null = null;

  /** Subscription that the invoice bills. Null if it bills no subscription. */
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

  /** Time at which a pending invoice becomes overdue. The database computes it from `dueDate` and `status`. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  statusDueAt: Date | null = null;

  @Field(() => Decimal, { description: 'Sum of all lines, before taxes.' })
  get subtotal(): Decimal {
    return this.amount.minus(this.taxAmount);
  }

  @Field(() => Decimal, { description: 'Unpaid amount. 0 if the invoice is paid or cancelled.' })
  get amountDue(): Decimal {
    const isOpen = this.status === InvoiceStatus.PENDING || this.status === InvoiceStatus.OVERDUE;
    if (!isOpen) return new Decimal(0);
    return this.amount.minus(this.amountPaid).minus(this.amountCredited).minus(this.creditApplied).minus(this.amountWrittenOff);
  }

  /** The part of `amountDue` that no payment in progress reserves. A new payment can be at most this amount. */
  get amountOpen(): Decimal {
    return this.amountDue.isZero() ? this.amountDue : this.amountDue.minus(this.amountReserved);
  }

  /**
   * The amount that payments and account credit have paid, minus the amounts that credit notes and refunds have returned. Refunds in
   * progress count as returned.
   */
  get amountReturnable(): Decimal {
    return this.amountPaid.plus(this.creditApplied).minus(this.amountRefunded).minus(this.refundReserved).minus(this.amountReturned);
  }

  /** Part of `amount`, including tax, that credit notes and refunds have given back. */
  get amountReversed(): Decimal {
    return this.amountCredited.plus(this.amountReturned).plus(this.amountRefunded);
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

  /**
   * Reduces the paid amount, because the payment processor has taken money back. A paid invoice becomes pending again. API requests cannot
   * make this change, because `invoiceStates` does not contain it.
   */
  reopen(amount: Decimal, now: Date): void {
    this.amountPaid = this.amountPaid.minus(amount);
    this.updatedAt = now;
    if (this.status !== InvoiceStatus.PAID || amount.isZero()) return;
    this.status = InvoiceStatus.PENDING;
    this.paidDate = null;
  }
}
