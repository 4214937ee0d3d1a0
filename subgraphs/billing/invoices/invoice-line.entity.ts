import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import { Invoice } from './invoice.entity.ts';

/** One service on an invoice, as it was billed: later changes of the service do not change it. */
@ObjectType({ description: 'One service on an invoice, as it was billed.' })
@Entity({ tableName: 'invoice_line' })
@OrganizationFilter({ account: { by: 'invoiceId', of: 'Invoice' } })
@Index({ properties: ['organizationId', 'serviceId', 'invoiceId'] })
export class InvoiceLine {
  @ManyToOne(() => Invoice, { primary: true, mapToPk: true, fieldName: 'invoice_id', type: 'text' })
  invoiceId!: string;

  /** From 0, in the order of the invoice. */
  @PrimaryKey({ type: 'integer' })
  position!: number;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID)
  @Property({ type: 'text' })
  serviceId!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  description!: string;

  @Field(() => Int)
  @Property({ type: 'integer' })
  quantity!: number;

  @Field(() => Decimal)
  @Property({ type: MoneyType })
  unitPrice!: Decimal;

  @Field(() => Decimal, { description: '`quantity` times `unitPrice`, rounded to what the currency can pay.' })
  @Property({ type: MoneyType })
  amount!: Decimal;
}
