import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Revision } from '../../../kernel/records/revision.ts';

/** Information about the seller on the invoices of an organization. Without a row, the invoices show only the name of the organization. */
@ObjectType({ description: 'Information about the seller on the invoices of your organization. Changes apply only to later invoices.' })
@Entity({ tableName: 'invoice_settings' })
@OrganizationFilter()
export class InvoiceSettings {
  @PrimaryKey({ type: 'text' })
  organizationId!: string;

  @Field(() => String, { nullable: true, description: 'Legal name of the seller. Null means the name of your organization.' })
  @Property({ type: 'text', nullable: true })
  legalName: string | null = null;

  @Field(() => [String], { description: 'Postal address, line by line, from the street to the country.' })
  @Property({ type: 'json' })
  address: string[] = [];

  @Field(() => String, { nullable: true, description: 'VAT number or another tax number. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  taxId: string | null = null;

  @Large(1_000)
  @Field(() => String, { nullable: true, description: 'Text at the end of each invoice, such as how to pay. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  footer: string | null = null;

  @Revision()
  revision = 1;

  @Field(() => Date, { nullable: true, description: 'When the settings last changed. Null if they were never set.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  updatedAt: Date | null = null;
}
