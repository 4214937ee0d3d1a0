import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import type { Actor } from '../tickets/ticket-change.entity.ts';
import { NotificationType } from './notification.states.ts';

/** A message to one or more people, usually about a ticket (specification 2.7, 4.7). Each recipient has its own delivery status. */
@ObjectType({ description: 'A message to one or more people, usually about a ticket.' })
@Entity({ tableName: 'notification' })
@OrganizationFilter({ account: { by: 'ticketId', of: 'Ticket' } })
@Index({ properties: ['ticketId', 'createdAt', 'id'] })
export class Notification {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Ticket that the message is about (`ticket_…`). Null if it is about something else, such as a report.',
  })
  @Property({ type: 'text', nullable: true })
  ticketId: string | null = null;

  @Field(() => NotificationType, { description: 'Channel of the message.' })
  @Enum({ items: () => NotificationType, type: 'text' })
  type!: NotificationType;

  @Field(() => String, { nullable: true, description: 'Template of an e-mail. Null for an SMS.' })
  @Property({ type: 'text', nullable: true })
  template: string | null = null;

  /** Kind of the caller who sent the notification, or `system` if a job sent it. */
  @Property({ type: 'text' })
  actorKind!: Actor['kind'];

  @Property({ type: 'text' })
  actorId!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
