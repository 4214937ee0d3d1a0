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
registerEnumType(ORGANIZATION_PLANS, {
  name: 'Plan',
  description: 'Plan of an organization, which decides its limits.',
  valuesConfig: {
    DEVELOPER: { description: 'For development: the smallest limits.' },
    BUSINESS: { description: 'For production.' },
    ENTERPRISE: { description: 'For production with many requests.' },
    CUSTOM: { description: 'Limits by contract.' },
  },
});

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
@ObjectType({ description: 'A customer of the platform, to whom all other records belong.' })
@Entity({ tableName: 'organization' })
@Unique({ properties: ['operator'], where: 'operator', name: 'organization_one_operator' })
@Index({ properties: ['createdAt', 'id'] })
export class Organization {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Field(() => String, { description: 'Name of the organization, 1 to 200 characters.' })
  @Property({ type: 'text' })
  name!: string;

  @Field(() => ORGANIZATION_PLANS, { description: 'Plan, which decides the limits.' })
  @Enum({ items: () => ORGANIZATION_PLANS, type: 'text' })
  plan!: Plan;

  @Field(() => OrganizationStatus, { description: 'Current state of the organization.' })
  @Enum({ items: () => OrganizationStatus, type: 'text' })
  status: OrganizationStatus = OrganizationStatus.ACTIVE;

  @Field(() => Boolean, {
    description:
      'True for the organization that operates the platform. Only its users and keys can hold `platform:read` and `platform:admin`.',
  })
  @Property({ type: 'boolean' })
  operator = false;

  @Field(() => Boolean, { description: 'True if every user must set up a second factor before protected operations.' })
  @Property({ type: 'boolean' })
  secondFactorRequired = false;

  @Field(() => Date, {
    nullable: true,
    description: 'Start of the review because the burst limit was exceeded repeatedly. Null unless it is under review.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  underReviewSince: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When it was suspended. Null unless it is.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  suspendedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When it was closed. Null unless it is.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  closedAt: Date | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'Until this time the records of a closed organization can be exported; then they are deleted. Null unless it is closed.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  @Index({ where: 'delete_after is not null' })
  deleteAfter: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When its records were deleted. Null until then.' })
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
