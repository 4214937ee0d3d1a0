import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { PlatformAccess, UserRole, UserStatus } from '../user.states.ts';

/** A user: a person who can log in (specification 4.2). */
@ObjectType({ description: 'A person who can log in.' })
@Entity({ tableName: 'user' })
@OrganizationFilter({ account: 'accountId' })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'accountId'] })
@Unique({ properties: ['organizationId', 'accountId', 'email'] })
export class User {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Account that the user belongs to (`acc_…`). Staff belong to the account of your own organization.',
  })
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  /**
   * E-mail address in lower case, so that letter case does not matter at login. Other organizations and accounts may
   * have invited the same address.
   */
  @Field(() => String, { description: 'E-mail address, with which the user logs in.' })
  @Property({ type: 'text', fieldName: 'address' })
  @Index()
  email!: string;

  /**
   * Name that the user logs in with, unique over all organizations. It is the user's e-mail address. Before the user
   * accepts the invitation, it is the placeholder of `withoutLogin`.
   */
  @Property({ type: 'text', fieldName: 'email' })
  @Unique()
  loginName!: string;

  @Field(() => String, { description: 'Full name, 1 to 200 characters.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'International mobile number for codes by SMS. Null if unknown.' })
  @Property({ type: 'text', nullable: true })
  phone: string | null = null;

  @Field(() => UserRole, { description: 'Role, which determines the permissions.' })
  @Enum({ items: () => UserRole, type: 'text' })
  role!: UserRole;

  @Field(() => [ID], { nullable: true, description: 'Accounts that the user is limited to (`acc_…`). Null means the whole organization.' })
  @Property({ type: 'json', nullable: true })
  accounts: string[] | null = null;

  @Field(() => UserStatus, { description: 'Current state of the user.' })
  @Enum({ items: () => UserStatus, type: 'text' })
  status: UserStatus = UserStatus.ACTIVE;

  /** Hash in the format of password.ts. Null until the invitation is accepted. */
  @Property({ type: 'text', nullable: true })
  passwordHash: string | null = null;

  @Field(() => Boolean, { description: 'True if the user has set up a second factor.' })
  @Property({ type: 'boolean' })
  secondFactor = false;

  @Field(() => PlatformAccess, {
    nullable: true,
    description:
      "Permission to operate the platform. Null if the user has no such permission, and for all users outside the operator's organization.",
  })
  @Enum({ items: () => PlatformAccess, type: 'text', nullable: true })
  platformAccess: PlatformAccess | null = null;

  @Field(() => Date, { nullable: true, description: 'When the user last logged in. Null if never.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastLogin: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
