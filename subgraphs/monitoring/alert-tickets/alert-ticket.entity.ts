import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';

/**
 * A support ticket that an alert opens, for an incident or for the alert itself. An incident has at most one of them, and so has an
 * alert without an incident until none of its instances has fired for some minutes.
 */
@ObjectType({ description: 'A support ticket that an alert opened.' })
@Entity({ tableName: 'alert_ticket' })
@OrganizationFilter({ account: 'accountId' })
@Index({
  name: 'alert_ticket_alert_unique',
  expression:
    'create unique index "alert_ticket_alert_unique" on "monitoring"."alert_ticket" ("organization_id", "alert_id") where "incident_id" is null and "ended_at" is null',
})
@Index({
  name: 'alert_ticket_incident_unique',
  expression:
    'create unique index "alert_ticket_incident_unique" on "monitoring"."alert_ticket" ("incident_id") where "incident_id" is not null',
})
@Index({ name: 'alert_ticket_alert_index', properties: ['organizationId', 'alertId', 'createdAt', 'id'] })
@Index({ name: 'alert_ticket_ticket_index', properties: ['organizationId', 'ticketId'] })
@Index({
  name: 'alert_ticket_end_due_index',
  expression: 'create index "alert_ticket_end_due_index" on "monitoring"."alert_ticket" ("end_due_at") where "end_due_at" is not null',
})
@Index({
  name: 'alert_ticket_ended_index',
  expression: 'create index "alert_ticket_ended_index" on "monitoring"."alert_ticket" ("ended_at") where "ended_at" is not null',
})
export class AlertTicket {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  alertId!: string;

  /** Account of the alert, to which the ticket belongs. Null if the alert belongs to the organization. */
  @Property({ type: 'text', nullable: true })
  accountId: string | null = null;

  @Field(() => ID, {
    nullable: true,
    description: 'Incident for which the ticket was opened (`inc_…`). Null if it was opened for the alert itself.',
  })
  @Property({ type: 'text', nullable: true })
  incidentId: string | null = null;

  @Field(() => ID, { nullable: true, description: 'Ticket (`ticket_…`). Null for the moment until it is opened.' })
  @Property({ type: 'text', nullable: true })
  ticketId: string | null = null;

  /** Time at which the ticket is told that the alert has ended. Null while the alert fires, and for the ticket of an incident. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  endDueAt: Date | null = null;

  /** Time at which the ticket was told that the alert has ended. Null for the ticket of an incident. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  endedAt: Date | null = null;

  @Field(() => Date, { description: 'When the alert fired.' })
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
