import { Check, Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import type { TaxScope, TaxRate as TaxValue } from '../calculation/taxes.ts';

const isDate = (column: string): string => `"${column}" ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'`;

/**
 * A tax rate of the organization, and the sales to which it applies. Only the name and the end date can be changed, because invoices show
 * the rate. If the percentage of a tax changes, create a new rate.
 */
@ObjectType({ description: 'A tax, such as VAT of 20 %, and the sales for which it is due.' })
@Check({ name: 'tax_rate_percent_check', expression: `"percent" >= 0 and "percent" <= 100` })
@Check({ name: 'tax_rate_dates_check', expression: `${isDate('valid_from')} and ${isDate('valid_to')} and "valid_from" <= "valid_to"` })
@Entity({ tableName: 'tax_rate' })
@OrganizationFilter()
@Index({ properties: ['organizationId', 'country'] })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
export class TaxRate implements TaxValue, TaxScope {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { description: 'Name as invoices show it, such as `VAT`.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => Decimal, { description: 'Percentage of the net amount: 20 for 20 %.' })
  @Property({ type: MoneyType })
  percent!: Decimal;

  @Field(() => String, { description: 'ISO 3166-1 code of the country of the customer, such as US.' })
  @Property({ type: 'text' })
  country!: string;

  @Field(() => String, { nullable: true, description: 'State or region of the customer, such as `NY`. Null for the whole country.' })
  @Property({ type: 'text', nullable: true })
  region: string | null = null;

  @Field(() => String, { nullable: true, description: 'Category of services, such as `connectivity`. Null for all services.' })
  @Property({ type: 'text', nullable: true })
  category: string | null = null;

  @Field(() => String, { description: 'First date of the rate, such as `2026-01-01`, in the time zone of the customer.' })
  @Property({ type: 'text' })
  validFrom!: string;

  @Field(() => String, { nullable: true, description: 'First date on which the rate is no longer due. Null if no end is planned.' })
  @Property({ type: 'text', nullable: true })
  validTo: string | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
