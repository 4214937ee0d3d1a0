import { Entity, Enum, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { RowKey } from '../../../kernel/records/organization-data.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { RecordsDeleted } from './organization.errors.ts';
import { OrganizationStatus, organizationStates } from './organization.states.ts';

export const ORGANIZATION_PLANS = {
  DEVELOPER: 'developer',
  BUSINESS: 'business',
  ENTERPRISE: 'enterprise',
  CUSTOM: 'custom',
} as const satisfies Record<string, Plan>;
registerEnumType(ORGANIZATION_PLANS, { name: 'Plan', description: 'Decides the rate limits (specification 8.1).' });

/** Where the deletion of its records goes on: in which pass, in which table, after which row, and how many rows the pass has deleted. */
export interface DeletionPosition {
  pass: number;
  table: number;
  after: RowKey | null;
  deleted: number;
}

/** How long the records of an organization that was closed can be exported. */
export const EXPORT_DAYS = 30;

const VIOLATIONS_FOR_REVIEW = 3;
const VIOLATIONS_WITHIN_MS = 24 * 3_600_000;

/** Whom everything belongs to. It is found through its keys and users, and so has no organization filter of its own. */
@ObjectType({ description: 'Whom everything on the platform belongs to: the customer who holds keys and pays.' })
@Entity({ tableName: 'organization' })
@Unique({ properties: ['operator'], where: 'operator', name: 'organization_one_operator' })
@Index({ properties: ['createdAt', 'id'] })
export class Organization {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Field(() => String)
  @Property({ type: 'text' })
  name!: string;

  @Field(() => ORGANIZATION_PLANS)
  @Enum({ items: () => ORGANIZATION_PLANS, type: 'text' })
  plan!: Plan;

  @Field(() => OrganizationStatus)
  @Enum({ items: () => OrganizationStatus, type: 'text' })
  status: OrganizationStatus = OrganizationStatus.ACTIVE;

  @Field(() => Boolean, {
    description: 'Whether it operates the platform: its users and keys may hold platform:read and platform:admin. One does.',
  })
  @Property({ type: 'boolean' })
  operator = false;

  @Field(() => Boolean, { description: 'Whether every user must enrol a second factor before what is protected by one.' })
  @Property({ type: 'boolean' })
  secondFactorRequired = false;

  @Field(() => Date, { nullable: true, description: 'Since when it is looked into for exceeding the burst limit again and again.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  underReviewSince: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'Since when it is suspended.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  suspendedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When it was closed; null unless it is.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  closedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'Until when its records can be exported after it was closed; then they are deleted.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  @Index({ where: 'delete_after is not null' })
  deleteAfter: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When its records were deleted, some time after `deleteAfter`; null until they are.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  deletedAt: Date | null = null;

  /** When its records are next to be worked on: from `deleteAfter` until they are deleted. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  @Index({ where: 'deletion_due_at is not null' })
  deletionDueAt: Date | null = null;

  /** How far the deletion is; null before it has begun, and after. */
  @Property({ type: 'json', nullable: true })
  deletionPosition: DeletionPosition | null = null;

  /** Of what pseudonyms are made, while its records are being deleted; then nobody has it. */
  @Property({ type: 'text', nullable: true })
  pseudonymKey: string | null = null;

  /** Instants of the last 24 hours. */
  @Property({ type: 'json' })
  hardViolations: string[] = [];

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** @throws InvalidState */
  moveTo(status: OrganizationStatus, now: Date): void {
    this.requireMove(status);
    this.status = status;
    this.suspendedAt = status === OrganizationStatus.SUSPENDED ? now : null;
    const isClosed = status === OrganizationStatus.CLOSED;
    this.closedAt = isClosed ? now : null;
    this.deleteAfter = isClosed ? new Date(now.getTime() + EXPORT_DAYS * DAY_MS) : null;
    this.deletionDueAt = this.deleteAfter;
  }

  /** @throws InvalidState */
  requireMove(status: OrganizationStatus): void {
    this.requireRecords();
    organizationStates.check(this.status, status);
  }

  /** From when the first record is being deleted there is no way back. @throws RecordsDeleted */
  requireRecords(): void {
    if (this.pseudonymKey || this.deletedAt) throw new RecordsDeleted();
  }

  endDeletion(now: Date): void {
    Object.assign(this, { deletedAt: now, deletionDueAt: null, deletionPosition: null, pseudonymKey: null });
  }

  /** Ends the review; what counted towards it counts no more. */
  clearReview(): void {
    this.underReviewSince = null;
    this.hardViolations = [];
  }

  /** Notes that the burst limit was exceeded. Answers whether that has put the organization under review, which it was not. */
  registerViolation(now: Date): boolean {
    const since = now.getTime() - VIOLATIONS_WITHIN_MS;
    const recent = this.hardViolations.filter((at) => Date.parse(at) > since);
    this.hardViolations = [...recent, now.toISOString()].slice(-VIOLATIONS_FOR_REVIEW);
    if (this.underReviewSince || this.hardViolations.length < VIOLATIONS_FOR_REVIEW) return false;
    this.underReviewSince = now;
    return true;
  }
}
