import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { InvoiceStatus, invoiceStates } from './invoice.states.ts';

/** An invoice of an account for services (specification 2.6, 3.2). Its lines are separate records. */
@ObjectType({ description: 'An invoice for the services of an account.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'invoice' })
@OrganizationFilter({ account: 'accountId' })
@Unique({ properties: ['organizationId', 'number'] })
@Unique({ properties: ['source'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'accountId', 'createdAt'] })
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

  @Field(() => Decimal, { description: 'Sum of all lines, in `currency`.' })
  @Property({ type: MoneyType })
  amount!: Decimal;

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

  /** Id of the event that caused the invoice. Null if a request caused it. */
  @Property({ type: 'text', nullable: true })
  source: string | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

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
