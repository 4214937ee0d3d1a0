import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ID, ObjectType } from 'type-graphql';
import type { PrincipalData } from '../../../kernel/access/principal.ts';
import { Large } from '../../../kernel/graphql/large.ts';
import { Json } from '../../../kernel/graphql/scalars.ts';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { Visibility } from '../visibility.ts';

/** Actor of a change: a caller, or `system` with the name of the job. */
export type Actor = Pick<PrincipalData, 'kind' | 'id'>;

/** Fields whose changes are visible to customers. Changes of all other fields are visible only to support staff. */
const SHOWN_TO_CUSTOMERS: ReadonlySet<string> = new Set([
  'status',
  'priority',
  'assigned_to',
  'escalation_level',
  'waiting_on_customer',
  'response_time',
  'resolution_time',
  'estimated_resolution',
  'customer_update',
  'metadata',
]);

export const visibilityOf = (member: string): Visibility => (SHOWN_TO_CUSTOMERS.has(member) ? Visibility.CUSTOMER : Visibility.INTERNAL);

/**
 * An entry of a ticket's timeline: the old and new value of a field, the actor who changed it, and the time. Entries
 * are never changed.
 */
@ObjectType({ description: 'One change of a ticket: a field, its old and new value, and who changed it.' })
@Entity({ tableName: 'ticket_change' })
@OrganizationFilter({ account: { by: 'ticketId', of: 'Ticket' } })
@Index({ properties: ['ticketId', 'createdAt', 'id'] })
export class TicketChange {
  @Field(() => ID)
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  ticketId!: string;

  @Field(() => String, { description: 'Changed field, with its REST name, such as `assigned_to`.' })
  @Property({ type: 'text' })
  member!: string;

  @Enum({ items: () => Visibility, type: 'text' })
  visibility: Visibility = Visibility.INTERNAL;

  @Large(20_000)
  @Field(() => Json, { nullable: true, description: 'Old value. Null for the first value.' })
  @Property({ type: 'json', nullable: true })
  from: unknown = null;

  @Large(20_000)
  @Field(() => Json, { nullable: true, description: 'New value.' })
  @Property({ type: 'json', nullable: true })
  to: unknown = null;

  @Property({ type: 'text' })
  actorKind!: Actor['kind'];

  @Property({ type: 'text' })
  actorId!: string;

  @Field(() => Date)
  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
