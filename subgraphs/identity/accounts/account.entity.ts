import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { MAX_JSON } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { AccountStatus, accountStates } from './account.states.ts';
import { AccountAddress, AccountContact } from './account.values.ts';

/** A customer of the organization (specification 4.2): what services, invoices and tickets belong to. */
@ObjectType({ description: 'A customer of the organization: what services, invoices and tickets belong to.' })
@Directive('@key(fields: "id")')
@Directive('@key(fields: "customerId")')
@Entity({ tableName: 'account' })
@OrganizationFilter({ account: 'id' })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Unique({ name: 'account_own_index', properties: ['organizationId'], where: 'own' })
export class Account {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'The customer number, which tickets and invoices name.' })
  @Property({ type: 'text' })
  @Unique()
  customerId!: string;

  @Field(() => Boolean, {
    description: "The organization's own: what belongs to none of its customers is of it, and its users are staff. It is never closed.",
  })
  @Property({ type: 'boolean' })
  own = false;

  @Field(() => String)
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  email!: string;

  @Field(() => String, { nullable: true })
  @Property({ type: 'text', nullable: true })
  phone: string | null = null;

  @Field(() => AccountStatus)
  @Enum({ items: () => AccountStatus, type: 'text' })
  status: AccountStatus = AccountStatus.ACTIVE;

  @Field(() => AccountContact, { nullable: true })
  @Property({ type: 'json', nullable: true })
  billingContact: AccountContact | null = null;

  @Field(() => AccountContact, { nullable: true })
  @Property({ type: 'json', nullable: true })
  technicalContact: AccountContact | null = null;

  @Field(() => AccountAddress, { nullable: true })
  @Property({ type: 'json', nullable: true })
  billingAddress: AccountAddress | null = null;

  @Field(() => String, { description: 'IANA zone name, such as America/New_York.' })
  @Property({ type: 'text' })
  timezone = 'UTC';

  @Field(() => String, {
    nullable: true,
    description: 'How the organization ranks it, such as `gold`: what routing rules of the support desk ask for.',
  })
  @Property({ type: 'text', nullable: true })
  tier: string | null = null;

  @Large(MAX_JSON)
  @Field(() => JsonObject, { description: 'Free-form, kept as sent.' })
  @Property({ type: 'json' })
  metadata: Record<string, unknown> = {};

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** @throws InvalidState */
  moveTo(status: AccountStatus): void {
    if (status === this.status) return;
    accountStates.check(this.status, status);
    this.status = status;
  }
}
