import { Entity, Index, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/** A support ticket that is linked to an incident. */
@ObjectType({ description: 'A ticket about an incident.' })
@Entity({ tableName: 'incident_ticket' })
@OrganizationFilter({ account: { by: 'incidentId', of: 'Incident' } })
@Unique({ name: 'incident_ticket_unique', properties: ['incidentId', 'ticketId'] })
@Index({ name: 'incident_ticket_ticket_index', properties: ['organizationId', 'ticketId'] })
export class IncidentTicket {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  incidentId!: string;

  @Field(() => ID, { description: 'Ticket (`ticket_…`).' })
  @Property({ type: 'text' })
  ticketId!: string;

  @Field(() => Date, { description: 'When the ticket was linked to the incident.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
