import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { InvalidState } from '../../../kernel/errors/errors.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { BulkKind, BulkStatus, bulkStates } from './bulk.states.ts';
import { BulkCounts } from './bulk.values.ts';

const { IN_PROGRESS, ROLLING_BACK, FAILED } = BulkStatus;

/** An operation on up to 100 services (specification 2.5, 4.3). */
@ObjectType({ description: 'An operation on many services, and its progress.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'bulk' })
@OrganizationFilter({ account: 'accountId' })
@Index({ properties: ['organizationId', 'createdAt', 'id'] })
@Index({ properties: ['organizationId', 'accountId', 'createdAt'] })
@Index({
  name: 'bulk_due_index',
  expression: 'create index "bulk_due_index" on "services"."bulk" ("due_at") where "due_at" is not null',
})
export class Bulk {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { nullable: true, description: 'Account of all services (`acc_…`). Null if the services belong to several accounts.' })
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  @Field(() => BulkKind, { description: 'Operation of the bulk.' })
  @Enum({ items: () => BulkKind, type: 'text' })
  kind!: BulkKind;

  @Field(() => BulkStatus, { description: 'Current state of the bulk.' })
  @Enum({ items: () => BulkStatus, type: 'text' })
  status: BulkStatus = IN_PROGRESS;

  @Field(() => String, { nullable: true, description: 'Reason for the current status. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  statusReason: string | null = null;

  @Field(() => Boolean, { description: 'True if the items are processed in parallel. False if they are processed one after another.' })
  @Property({ type: 'boolean' })
  parallel = true;

  @Field(() => Boolean, { description: 'True if all services are released as soon as one of them fails.' })
  @Property({ type: 'boolean' })
  rollbackOnFailure = false;

  @Field(() => BulkCounts, { description: 'Number of items in each state.' })
  @Property({ type: 'json' })
  counts!: BulkCounts;

  @Field(() => ID, { description: 'User or credential that created the bulk.' })
  @Property({ type: 'text' })
  requestedBy!: string;

  /** Time at which a caller cancelled the bulk. Items that have begun still continue to their end. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  cancelledAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, nullable: true })
  rollingBackAt: Date | null = null;

  /** Time at which the last event `bulk.progressed` was recorded. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  reportedAt: Date | null = null;

  /** Time of the next update of the bulk if no change of its services is reported before. Null if all items have ended. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  dueAt: Date | null = null;

  @Field(() => Date, { nullable: true, description: 'When the bulk ended. Null until then.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  finishedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /** True while the built services are being released, even after the bulk failed because this took too long. */
  get isRollingBack(): boolean {
    return this.status === ROLLING_BACK || (this.status === FAILED && this.rollingBackAt !== null);
  }

  /** True if the rollback of the bulk exceeded its time limit, and some services are still being released. */
  get hasLeftovers(): boolean {
    return this.status === FAILED && this.counts.releasing > 0;
  }

  /**
   * Marks the bulk as cancelled. The bulk ends when all items that have begun have ended.
   * @throws InvalidState if the bulk has ended, or was cancelled before
   */
  cancel(now: Date): void {
    if (this.cancelledAt) throw new InvalidState('bulk', this.status, BulkStatus.CANCELLED, []);
    bulkStates.check(this.status, BulkStatus.CANCELLED);
    this.cancelledAt = now;
    this.statusReason = 'Cancelled by a caller.';
    this.updatedAt = now;
  }

  /**
   * Moves the bulk to `status`.
   * @throws InvalidState
   */
  moveTo(status: BulkStatus, now: Date, reason: string | null = null): void {
    bulkStates.check(this.status, status);
    this.status = status;
    this.statusReason = reason ?? this.statusReason;
    this.updatedAt = now;
    if (status === ROLLING_BACK) this.rollingBackAt = now;
    else this.finishedAt = now;
  }
}
