import { Check, Entity, Enum, Index, ManyToOne, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { Invoice } from './invoice.entity.ts';
import { LineKind } from './line-kind.ts';

/** One service on an invoice, with the values at the time of billing. Later changes of the service do not change the line. */
@ObjectType({ description: 'One line of an invoice: a service and its price. Later changes of the service do not change the line.' })
@Entity({ tableName: 'invoice_line' })
@OrganizationFilter({ account: { by: 'invoiceId', of: 'Invoice' } })
@Index({ properties: ['organizationId', 'serviceId', 'invoiceId'] })
// a period of a service is billed once, whatever bills it twice
@Unique({ name: 'invoice_line_period_index', properties: ['organizationId', 'itemId', 'periodStart'], where: `"kind" = 'recurring'` })
@Check({ name: 'invoice_line_credited_check', expression: `"amount_credited" >= 0 and "amount_credited" <= "amount"` })
@Check({ name: 'invoice_line_period_check', expression: `"period_start" < "period_end"` })
export class InvoiceLine {
  @ManyToOne(() => Invoice, { primary: true, mapToPk: true, fieldName: 'invoice_id', type: 'text' })
  invoiceId!: string;

  /** Position of the line on the invoice, starting at 0. */
  @PrimaryKey({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, {
    description: 'Service that is billed (`svc_…`), or the account (`acc_…`) for usage without a service, such as API requests.',
  })
  @Property({ type: 'text' })
  serviceId!: string;

  @Field(() => String, { description: 'Name of the service at the time of billing.' })
  @Property({ type: 'text' })
  description!: string;

  @Field(() => Int, { description: 'Number of units, 1 to 1000000.' })
  @Property({ type: 'integer' })
  quantity!: number;

  @Field(() => Decimal, { description: 'Price of one unit, in the currency of the invoice.' })
  @Property({ type: MoneyType })
  unitPrice!: Decimal;

  @Field(() => Decimal, { description: '`quantity` times `unitPrice`, rounded to the smallest unit of the currency.' })
  @Property({ type: MoneyType })
  amount!: Decimal;

  @Field(() => LineKind, { description: 'Kind of charge.' })
  @Enum({ items: () => LineKind, type: 'text', default: LineKind.SERVICE })
  kind: LineKind = LineKind.SERVICE;

  /** Subscription item that the line bills. Null if the line belongs to no subscription. */
  @Property({ type: 'text', nullable: true })
  itemId: string | null = null;

  @Field(() => Date, { nullable: true, description: 'Start of the period that the line bills. Null if it bills no period.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  periodStart: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'End of the period that the line bills, exclusive. Null if it bills no period.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  periodEnd: Date | null = null;

  @Field(() => String, {
    nullable: true,
    description: 'Category of the service in the catalog when it was billed, such as `connectivity`. Null on invoices of earlier releases.',
  })
  @Property({ type: 'text', nullable: true })
  category: string | null = null;

  /** Tax rates that apply to the line. Empty if no rate applies, or if the customer is exempt. */
  @Property({ type: 'json', default: '[]' })
  taxRateIds: string[] = [];

  @Field(() => Decimal, { description: 'Part of `amount` that credit notes gave back.' })
  @Property({ type: MoneyType, default: '0' })
  amountCredited: Decimal = new Decimal(0);
}
