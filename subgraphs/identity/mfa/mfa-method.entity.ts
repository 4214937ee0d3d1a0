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

  /** Of an authenticator; sealed for this record's id. */
  @Property({ type: 'text', nullable: true })
  secret: string | null = null;

  /** Where codes are sent. Shown in part only. */
  @Property({ type: 'text', nullable: true })
  address: string | null = null;

  /** The time step of the last code that was accepted: no code of it or of an earlier one is accepted again. */
  @Property({ type: 'integer', nullable: true })
  lastStep: number | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When its first code was accepted. Null until then.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  confirmedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When it was last used. Null if it never was.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  lastUsedAt: Date | null = null;

  @Field(() => String, { nullable: true, description: 'Where codes are sent, partly hidden. Null for an authenticator app.' })
  get destination(): string | null {
    return this.address && masked(this.address);
  }

  /** An authenticator is asked for from the moment it is set up; what codes are sent to, once one has arrived. */
  get isEnrolled(): boolean {
    return this.type === MfaMethodType.TOTP || this.confirmedAt !== null;
  }
}

/** `+1*******00` or `g***@example.com`: enough for who knows it. */
export function masked(address: string): string {
  const [name = '', domain] = address.split('@');
  if (domain !== undefined) return `${name.slice(0, 1)}***@${domain}`;
  return `${address.slice(0, 2)}${'*'.repeat(Math.max(0, address.length - 4))}${address.slice(-2)}`;
}

/** What a user can be asked for, as the specification lists them. */
export function enrolledTypes(methods: readonly MfaMethod[]): MfaMethodType[] {
  return METHOD_TYPES.filter((type) => methods.some((method) => method.type === type && method.isEnrolled));
}
