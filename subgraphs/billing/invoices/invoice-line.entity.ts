import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { Invoice } from './invoice.entity.ts';

/** One service on an invoice, as it was billed. Later changes of the service do not change the line. */
@ObjectType({ description: 'One line of an invoice: a service and its price. Later changes of the service do not change the line.' })
@Entity({ tableName: 'invoice_line' })
@OrganizationFilter({ account: { by: 'invoiceId', of: 'Invoice' } })
@Index({ properties: ['organizationId', 'serviceId', 'invoiceId'] })
export class InvoiceLine {
  @ManyToOne(() => Invoice, { primary: true, mapToPk: true, fieldName: 'invoice_id', type: 'text' })
  invoiceId!: string;

  /** Position of the line on the invoice, starting at 0. */
  @PrimaryKey({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Service that is billed (`svc_…`).' })
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
}
