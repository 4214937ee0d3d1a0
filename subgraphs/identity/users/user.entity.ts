import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { PlatformAccess, UserRole, UserStatus } from '../user.states.ts';

/** A person who can log in (specification 4.2). */
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

  @Field(() => ID, { nullable: true, description: "The account that the user is listed with: the organization's own for staff." })
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  /** In lower case: the same person whatever they type at login. Others may be invited to it too, by other organizations and accounts. */
  @Field(() => String)
  @Property({ type: 'text', fieldName: 'address' })
  @Index()
  email!: string;

  /** The address once it is the user's own, unique over all organizations; until an invitation is accepted `withoutLogin`. */
  @Property({ type: 'text', fieldName: 'email' })
  @Unique()
  loginName!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Where codes are sent by SMS.' })
  @Property({ type: 'text', nullable: true })
  phone: string | null = null;

  @Field(() => UserRole)
  @Enum({ items: () => UserRole, type: 'text' })
  role!: UserRole;

  @Field(() => [ID], { nullable: true, description: 'The accounts that they are limited to; null: they see the whole organization.' })
  @Property({ type: 'json', nullable: true })
  accounts: string[] | null = null;

  @Field(() => UserStatus)
  @Enum({ items: () => UserStatus, type: 'text' })
  status: UserStatus = UserStatus.ACTIVE;

  /** As password.ts writes it, with the parameters it was made with. Null until the invitation is accepted. */
  @Property({ type: 'text', nullable: true })
  passwordHash: string | null = null;

  @Field(() => Boolean, { description: 'Whether a second factor is enrolled.' })
  @Property({ type: 'boolean' })
  secondFactor = false;

  @Field(() => PlatformAccess, {
    nullable: true,
    description: "What the user may do to operate the platform; null outside the operator's organization.",
  })
  @Enum({ items: () => PlatformAccess, type: 'text', nullable: true })
  platformAccess: PlatformAccess | null = null;

  @Field(() => Date, { nullable: true })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastLogin: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
