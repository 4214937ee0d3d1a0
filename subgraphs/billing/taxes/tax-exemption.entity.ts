import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/** Tax exemption of an account. Later invoices state the reason of the exemption. */
@ObjectType({ description: 'Why an account pays no tax. Its new invoices state the reason.' })
@Entity({ tableName: 'tax_exemption' })
@OrganizationFilter({ account: 'accountId' })
export class TaxExemption {
  @PrimaryKey({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Account that pays no tax (`acc_…`).' })
  @PrimaryKey({ type: 'text' })
  accountId!: string;

  @Field(() => String, { description: 'Reason that invoices state, such as `Reverse charge`.' })
  @Property({ type: 'text' })
  reason!: string;

  @Field(() => String, { nullable: true, description: 'VAT number or another tax number of the customer. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  taxId: string | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
