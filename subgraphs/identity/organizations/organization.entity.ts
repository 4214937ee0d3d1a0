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
  description: 'Plan of an organization, which determines its limits.',
  valuesConfig: {
    DEVELOPER: { description: 'For development: the smallest limits.' },
    BUSINESS: { description: 'For production.' },
    ENTERPRISE: { description: 'For production with many requests.' },
    CUSTOM: { description: 'Limits by contract.' },
  },
});

/**
 * Stored position of the deletion of an organization's records. `pass` numbers the passes over all tables, `table` is the
 * index of the table and `name` its name, `after` is the last finished row, and `deleted` is the number of rows deleted in this pass.
 */
export interface DeletionPosition {
  pass: number;
  table: number;
  /** Absent if a process of an earlier release has stored the position. In another release, the index can be another table. */
  name?: string | undefined;
  after: RowKey | null;
  deleted: number;
}

/** Number of days during which the records of a closed organization can be exported. */
export const EXPORT_DAYS = 30;

const VIOLATIONS_FOR_REVIEW = 3;
const VIOLATIONS_WITHIN_MS = 24 * 3_600_000;

/**
 * A customer of the platform. Queries for other records are limited to one organization by OrganizationFilter. An
 * organization itself is loaded by the organization id of a key or user, so this entity does not have the filter.
 */
@ObjectType({ description: 'A customer of the platform. Every other record belongs to an organization.' })
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

  @Field(() => ORGANIZATION_PLANS, { description: 'Plan, which determines the limits.' })
  @Enum({ items: () => ORGANIZATION_PLANS, type: 'text' })
  plan!: Plan;

  @Field(() => OrganizationStatus, { description: 'Current state of the organization.' })
  @Enum({ items: () => OrganizationStatus, type: 'text' })
  status: OrganizationStatus = OrganizationStatus.ACTIVE;

  @Field(() => Boolean, {
    description:
      'True for the organization that operates the platform. Only its users and keys can have `platform:read` and `platform:admin`.',
  })
  @Property({ type: 'boolean' })
  operator = false;

  @Field(() => Boolean, {
    description:
      'True if operations that require a second factor require it from every user. Users without a second factor must first set it up. False if these operations require it only from users who have set it up.',
  })
  @Property({ type: 'boolean' })
  secondFactorRequired = false;

  @Field(() => Date, {
    nullable: true,
    description:
      "When the operator's review of the organization began, because the burst limit was exceeded repeatedly. Null unless the organization is under review.",
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  underReviewSince: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the organization was suspended. Null unless it is suspended.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  suspendedAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the organization was closed. Null unless it is closed.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  closedAt: Date | null = null;

  @Field(() => Date, {
    nullable: true,
    description:
      'Until this time, the records of a closed organization can be exported. After this time, they are deleted. Null unless the organization is closed.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  @Index({ where: 'delete_after is not null' })
  deleteAfter: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the records of the organization were deleted. Null before that time.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  deletedAt: Date | null = null;

  /**
   * Time at which the deletion of the records begins or continues; during a lease, the end of the lease. Null if the
   * organization is not closed, or if its records are already deleted.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  @Index({ where: 'deletion_due_at is not null' })
  deletionDueAt: Date | null = null;

  /** Position of the deletion. Null before the deletion begins and after it ends. */
  @Property({ type: 'json', nullable: true })
  deletionPosition: DeletionPosition | null = null;

  /**
   * Key for pseudonyms while records are being deleted. The key is deleted at the end of the deletion, so that
   * pseudonyms cannot be reversed.
   */
  @Property({ type: 'text', nullable: true })
  pseudonymKey: string | null = null;

  /** Times within the last 24 hours at which the burst limit was exceeded, in ISO 8601. */
  @Property({ type: 'json' })
  hardViolations: string[] = [];

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /**
   * Changes the status.
   * @throws InvalidState if the current status does not allow this change
   * @throws RecordsDeleted if the deletion of the records has begun
   */
  moveTo(status: OrganizationStatus, now: Date): void {
    this.requireMove(status);
    this.status = status;
    this.suspendedAt = status === OrganizationStatus.SUSPENDED ? now : null;
    const isClosed = status === OrganizationStatus.CLOSED;
    this.closedAt = isClosed ? now : null;
    this.deleteAfter = isClosed ? new Date(now.getTime() + EXPORT_DAYS * DAY_MS) : null;
    this.deletionDueAt = this.deleteAfter;
  }

  /**
   * Checks that the status can be changed to `status`.
   * @throws InvalidState if the current status does not allow this change
   * @throws RecordsDeleted if the deletion of the records has begun
   */
  requireMove(status: OrganizationStatus): void {
    this.requireRecords();
    organizationStates.check(this.status, status);
  }

  /**
   * Checks that the deletion has not begun. After it has begun, the organization cannot be restored.
   * @throws RecordsDeleted
   */
  requireRecords(): void {
    if (this.pseudonymKey || this.deletedAt) throw new RecordsDeleted();
  }

  endDeletion(now: Date): void {
    Object.assign(this, { deletedAt: now, deletionDueAt: null, deletionPosition: null, pseudonymKey: null });
  }

  /** Ends the review and resets the count of violations. */
  clearReview(): void {
    this.underReviewSince = null;
    this.hardViolations = [];
  }

  /** Records that the burst limit was exceeded. Returns whether this violation puts the organization under review. */
  registerViolation(now: Date): boolean {
    const since = now.getTime() - VIOLATIONS_WITHIN_MS;
    const recent = this.hardViolations.filter((at) => Date.parse(at) > since);
    this.hardViolations = [...recent, now.toISOString()].slice(-VIOLATIONS_FOR_REVIEW);
    if (this.underReviewSince || this.hardViolations.length < VIOLATIONS_FOR_REVIEW) return false;
    this.underReviewSince = now;
    return true;
  }
}
