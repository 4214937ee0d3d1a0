import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { ServiceStatus } from '../inventory/service.states.ts';

/** One entry of a service's status history. */
@ObjectType('ServiceStatusChange', { description: 'A change of the status of a service.' })
@Entity({ tableName: 'service_status_change' })
@OrganizationFilter({ account: { by: 'serviceId', of: 'Service' } })
@Index({ name: 'service_status_change_history_index', properties: ['organizationId', 'serviceId', 'createdAt'] })
export class StatusChange {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  serviceId!: string;

  @Field(() => ServiceStatus, { nullable: true, description: 'Status before the change. Null for the first status.' })
  @Enum({ items: () => ServiceStatus, type: 'text', nullable: true })
  from: ServiceStatus | null = null;

  @Field(() => ServiceStatus, { description: 'Status after the change.' })
  @Enum({ items: () => ServiceStatus, type: 'text' })
  to!: ServiceStatus;

  @Field(() => String, { nullable: true, description: 'Reason for the change. Null if none was given.' })
  @Property({ type: 'text', nullable: true })
  reason: string | null = null;

  @Field(() => Date, { name: 'at', description: 'When the status changed.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
