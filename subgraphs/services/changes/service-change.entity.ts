import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import type { ChangeSet } from '../../../kernel/records/changes.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Decimal, MoneyType } from '../../../kernel/values/money.ts';
import type { PriceLine } from '../inventory/price-line.ts';
import type { ServicePatch } from '../inventory/service-terms.ts';
import { ServiceChangeKind, ServiceChangeStatus, serviceChangeStates } from './service-change.states.ts';
import { DataMigration, ServiceChangeTransition } from './service-change.values.ts';

const { COMPLETED } = ServiceChangeStatus;

/** An order to change or end a service, immediately or at a date (specification 2.5, 4.3). */
@ObjectType({ description: 'An order to change or end a service, and its progress.' })
@Entity({ tableName: 'service_change' })
@OrganizationFilter({ account: { by: 'serviceId', of: 'Service' } })
@Index({
  name: 'service_change_due_index',
  expression: 'create index "service_change_due_index" on "services"."service_change" ("due_at") where "due_at" is not null',
})
@Index({
  name: 'service_change_open_decommission_index',
  expression: `create unique index "service_change_open_decommission_index" on "services"."service_change" ("service_id") where "kind" = 'decommission' and "status" in ('acknowledged', 'in_progress')`,
})
@Index({
  name: 'service_change_apply_due_index',
  expression:
    'create index "service_change_apply_due_index" on "services"."service_change" ("apply_due_at") where "apply_due_at" is not null',
})
@Index({ name: 'service_change_service_index', properties: ['organizationId', 'serviceId', 'createdAt', 'id'] })
export class ServiceChange {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Service that is changed (`svc_…`).' })
  @Property({ type: 'text' })
  serviceId!: string;

  @Field(() => ServiceChangeKind, { description: 'Kind of change.' })
  @Enum({ items: () => ServiceChangeKind, type: 'text' })
  kind!: ServiceChangeKind;

  @Field(() => ServiceChangeStatus, { description: 'Current state of the change.' })
  @Enum({ items: () => ServiceChangeStatus, type: 'text' })
  status: ServiceChangeStatus = ServiceChangeStatus.ACKNOWLEDGED;

  @Field(() => String, {
    nullable: true,
    description: 'Reason for the current status, such as why the change failed. Null if there is none.',
  })
  @Property({ type: 'text', nullable: true })
  statusReason: string | null = null;

  @Field(() => Date, { description: 'When the change takes effect.' })
  @Property({ type: 'datetime', length: 3 })
  effectiveAt!: Date;

  /** Time at which a decommission must begin. Null if it has begun or ended, and for other kinds of changes. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  dueAt: Date | null = null;

  /**
   * Time at which a scheduled change that is not a decommission must begin. Null if the change is due or has ended. It is a separate
   * column, because the previous release treats every change with `due_at` as a decommission.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  applyDueAt: Date | null = null;

  /** New values of the terms of the service. Null for a decommission. */
  @Property({ type: 'json', nullable: true })
  wanted: ServicePatch | null = null;

  /** Price lines of the service after the change, as agreed when the change was ordered. */
  @Property({ type: 'json', nullable: true })
  priceLines: PriceLine[] | null = null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      'Old and new values of the changed fields, such as `{"bandwidth": {"from": "500mbps", "to": "1000mbps"}}`. Null if the service is taken down.',
  })
  @Property({ type: 'json', nullable: true })
  changes: ChangeSet | null = null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'Difference of the monthly price, in the currency of the service. Null if the service is taken down.',
  })
  @Property({ type: MoneyType, nullable: true })
  priceDifference: Decimal | null = null;

  @Field(() => String, { nullable: true, description: 'Reason that the caller stated. Null if none was stated.' })
  @Property({ type: 'text', nullable: true })
  reason: string | null = null;

  @Field(() => DataMigration, { nullable: true, description: 'Where the data of the service goes. Null if the data is not migrated.' })
  @Property({ type: 'json', nullable: true })
  dataMigration: DataMigration | null = null;

  /** Bulk that ordered the change. Null if the change was ordered alone. */
  @Property({ type: 'text', nullable: true })
  bulkId: string | null = null;

  @Field(() => ID, { description: 'User or credential that ordered the change.' })
  @Property({ type: 'text' })
  requestedBy!: string;

  /** Number of consecutive failed attempts to make the change at the provider. */
  @Property({ type: 'integer' })
  failures = 0;

  @Field(() => [ServiceChangeTransition], { description: 'Status changes, oldest first.' })
  @Property({ type: 'json' })
  history: ServiceChangeTransition[] = [];

  @Field(() => Date, { nullable: true, description: 'When the change was completed. Null until then.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  completedAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /**
   * Moves the change to `status` and adds the transition to its history.
   * @throws InvalidState
   */
  moveTo(status: ServiceChangeStatus, now: Date, reason: string | null = null): void {
    serviceChangeStates.check(this.status, status);
    this.history = [...this.history, { from: this.status, to: status, at: now.toISOString(), reason }];
    this.status = status;
    this.statusReason = reason;
    this.dueAt = null;
    this.applyDueAt = null;
    if (status === COMPLETED) this.completedAt = now;
    this.updatedAt = now;
  }
}
