import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { METHOD_TYPES, MfaMethodType } from './mfa.states.ts';

/** A second factor of a user (specification 2.4, 5.7). */
@ObjectType({ description: 'A second factor of a user.' })
@Entity({ tableName: 'mfa_method' })
@Unique({ properties: ['userId', 'type'], where: 'confirmed_at is null', name: 'mfa_method_one_pending' })
@Unique({ properties: ['userId', 'type'], where: 'confirmed_at is not null', name: 'mfa_method_one_confirmed' })
@OrganizationFilter()
export class MfaMethod {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'User that it belongs to (`user_…`).' })
  @Property({ type: 'text' })
  @Index()
  userId!: string;

  @Field(() => MfaMethodType, { description: 'Kind of second factor.' })
  @Enum({ items: () => MfaMethodType, type: 'text' })
  type!: MfaMethodType;

  /** TOTP secret of an authenticator app. It is encrypted, and can be decrypted only with the id of this record. */
  @Property({ type: 'text', nullable: true })
  secret: string | null = null;

  /** Phone number or e-mail address that codes are sent to. Callers see it masked. */
  @Property({ type: 'text', nullable: true })
  address: string | null = null;

  /** Time step of the last accepted code. No code of this or an earlier step is accepted again. */
  @Property({ type: 'integer', nullable: true })
  lastStep: number | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the first code of this method was accepted. Null before that time.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  confirmedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When it was last used. Null if it was never used.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastUsedAt: Date | null = null;

  @Field(() => String, { nullable: true, description: 'Where codes are sent, partly hidden. Null for an authenticator app.' })
  get destination(): string | null {
    return this.address && masked(this.address);
  }

  /**
   * Returns whether the method counts as a second factor of its user. An authenticator app counts as soon as it is set up, SMS and e-mail
   * only when their first code is verified.
   */
  get isEnrolled(): boolean {
    return this.type === MfaMethodType.TOTP || this.confirmedAt !== null;
  }
}

/** Masks an address, as in `+1*******00` or `g***@example.com`. The owner of the address still recognizes it. */
export function masked(address: string): string {
  const [name = '', domain] = address.split('@');
  if (domain !== undefined) return `${name.slice(0, 1)}***@${domain}`;
  return `${address.slice(0, 2)}${'*'.repeat(Math.max(0, address.length - 4))}${address.slice(-2)}`;
}

/** Returns the types of the enrolled methods, in the order of the specification. */
export function enrolledTypes(methods: readonly MfaMethod[]): MfaMethodType[] {
  return METHOD_TYPES.filter((type) => methods.some((method) => method.type === type && method.isEnrolled));
}
