import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { IncidentStatus } from './incident.states.ts';

/** An entry in the timeline of an incident. The record never changes. */
@ObjectType({ description: 'An entry in the timeline of an incident.' })
@Entity({ tableName: 'incident_update' })
@OrganizationFilter({ account: { by: 'incidentId', of: 'Incident' } })
@Index({ name: 'incident_update_incident_index', properties: ['organizationId', 'incidentId', 'createdAt', 'id'] })
export class IncidentUpdate {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  incidentId!: string;

  @Field(() => IncidentStatus, { description: 'Status of the incident after the update.' })
  @Enum({ items: () => IncidentStatus, type: 'text' })
  status!: IncidentStatus;

  @Field(() => String, {
    nullable: true,
    description: 'Text of the update: what happened, or what is being done. Null if only the status changed.',
  })
  @Property({ type: 'text', nullable: true })
  message: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Caller who wrote the update. Null for the platform.' })
  @Property({ type: 'text', nullable: true })
  changedBy: string | null = null;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
