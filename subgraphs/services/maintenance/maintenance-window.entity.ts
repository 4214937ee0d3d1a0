import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Directive, Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { MaintenanceImpact, MaintenanceStatus, maintenanceStates } from './maintenance-window.states.ts';

const { IN_PROGRESS, SCHEDULED } = MaintenanceStatus;

/** A planned maintenance of one service (specification 2.5, 6). While it is in progress, the service is in maintenance. */
@ObjectType({ description: 'A planned maintenance of a service.' })
@Directive('@key(fields: "id")')
@Entity({ tableName: 'maintenance_window' })
@OrganizationFilter({ account: { by: 'serviceId', of: 'Service' } })
@Index({
  name: 'maintenance_window_due_index',
  expression: 'create index "maintenance_window_due_index" on "services"."maintenance_window" ("due_at") where "due_at" is not null',
})
@Index({ name: 'maintenance_window_service_index', properties: ['organizationId', 'serviceId', 'createdAt', 'id'] })
export class MaintenanceWindow {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, { description: 'Service that is maintained (`svc_…`).' })
  @Property({ type: 'text' })
  serviceId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Change of the service that is made during the maintenance (`order_…`). Null if there is none.',
  })
  @Property({ type: 'text', nullable: true })
  serviceChangeId: string | null = null;

  @Field(() => MaintenanceStatus, { description: 'Current state of the maintenance.' })
  @Enum({ items: () => MaintenanceStatus, type: 'text' })
  status: MaintenanceStatus = SCHEDULED;

  @Field(() => Date, { name: 'start', description: 'When the maintenance is planned to start.' })
  @Property({ type: 'datetime', length: 3 })
  startsAt!: Date;

  @Field(() => Date, { name: 'end', description: 'When the maintenance is planned to end.' })
  @Property({ type: 'datetime', length: 3 })
  endsAt!: Date;

  @Field(() => String, { nullable: true, description: 'Title of the work. Null if there is none.' })
  @Property({ type: 'text', nullable: true })
  title: string | null = null;

  @Field(() => String, { description: 'Description of the work.' })
  @Property({ type: 'text' })
  description!: string;

  @Field(() => MaintenanceImpact, { description: 'Expected state of the service during the maintenance.' })
  @Enum({ items: () => MaintenanceImpact, type: 'text' })
  impact!: MaintenanceImpact;

  @Field(() => Date, { description: 'When the maintenance was announced last. A change before its start is announced again.' })
  @Property({ type: 'datetime', length: 3, defaultRaw: 'now()' })
  announcedAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When the maintenance has started. Null if it has not started.' })
  @Property({ type: 'datetime', length: 3, nullable: true })
  actualStart: Date | null = null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the maintenance has ended after its start, also if it was cancelled then. Null if it has not started or not ended.',
  })
  @Property({ type: 'datetime', length: 3, nullable: true })
  actualEnd: Date | null = null;

  /**
   * Status to which the service returns after the maintenance. Null before the maintenance starts, and if the maintenance does not change
   * the status.
   */
  @Enum({ items: () => ServiceStatus, type: 'text', nullable: true })
  statusBefore: ServiceStatus | null = null;

  /** Time at which the window must start or end. Null if it has ended. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  dueAt: Date | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;

  /**
   * Moves the window to `status`, and stores when it has started or ended. `due_at` becomes the time of the next step.
   * @throws InvalidState
   */
  moveTo(status: MaintenanceStatus, now: Date): void {
    maintenanceStates.check(this.status, status);
    if (status === IN_PROGRESS) this.actualStart = now;
    else if (this.status === IN_PROGRESS) this.actualEnd = now;
    this.status = status;
    this.dueAt = status === IN_PROGRESS ? this.endsAt : null;
    this.updatedAt = now;
  }
}
