import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { MAX_JSON } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { AccountStatus, accountStates } from './account.states.ts';
import { AccountAddress, AccountContact } from './account.values.ts';

/** A customer of the organization (specification 4.2). Services, invoices and tickets belong to an account. */
@ObjectType({ description: 'A customer of your organization. Services, invoices and tickets belong to it.' })
@Directive('@key(fields: "id")')
@Directive('@key(fields: "customerId")')
@Entity({ tableName: 'account' })
@OrganizationFilter({ account: 'id' })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Unique({ name: 'account_own_index', properties: ['organizationId'], where: 'own' })
@Unique({
  name: 'account_billed_organization_index',
  properties: ['billedOrganizationId'],
  where: '"billed_organization_id" is not null',
})
export class Account {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Customer number (`cust_…`), which tickets and invoices refer to. It never changes.' })
  @Property({ type: 'text' })
  @Unique()
  customerId!: string;

  @Field(() => Boolean, {
    description: 'True for the account that represents your organization itself. Its users are staff, and it cannot be closed.',
  })
  @Property({ type: 'boolean' })
  own = false;

  /**
   * Organization that the account is invoiced for (organization-accounts.ts). Null for all accounts that do not belong to the operator's
   * organization.
   */
  @Property({ type: 'text', nullable: true })
  billedOrganizationId: string | null = null;

  @Field(() => String, { description: 'Name of the customer, 1 to 200 characters.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { description: 'E-mail address of the customer.' })
  @Property({ type: 'text' })
  email!: string;

  @Field(() => String, { nullable: true, description: 'International telephone number. Null if unknown.' })
  @Property({ type: 'text', nullable: true })
  phone: string | null = null;

  @Field(() => AccountStatus, { description: 'Current state of the account.' })
  @Enum({ items: () => AccountStatus, type: 'text' })
  status: AccountStatus = AccountStatus.ACTIVE;

  @Field(() => AccountContact, { nullable: true, description: 'Person to contact about invoices. Null if unknown.' })
  @Property({ type: 'json', nullable: true })
  billingContact: AccountContact | null = null;

  @Field(() => AccountContact, { nullable: true, description: 'Person to contact about services. Null if unknown.' })
  @Property({ type: 'json', nullable: true })
  technicalContact: AccountContact | null = null;

  @Field(() => AccountAddress, { nullable: true, description: 'Postal address for invoices. Null if unknown.' })
  @Property({ type: 'json', nullable: true })
  billingAddress: AccountAddress | null = null;

  @Field(() => String, { description: 'IANA time zone, such as America/New_York.' })
  @Property({ type: 'text' })
  timezone = 'UTC';

  @Field(() => String, {
    nullable: true,
    description: 'Your own rank of the customer, such as `gold`. Routing rules of the support desk can refer to it. Null if none.',
  })
  @Property({ type: 'text', nullable: true })
  tier: string | null = null;

  @Large(MAX_JSON)
  @Field(() => JsonObject, { description: 'JSON object of your choice, returned as sent.' })
  @Property({ type: 'json' })
  metadata: Record<string, unknown> = {};

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** Changes the status. @throws InvalidState if the current status does not allow this change */
  moveTo(status: AccountStatus): void {
    if (status === this.status) return;
    accountStates.check(this.status, status);
    this.status = status;
  }
}
