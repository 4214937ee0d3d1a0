import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/organization.filter.ts';
import type { PrincipalData } from '../../../kernel/principal.ts';

/** Who did something to a ticket: a caller, or `system` with the name of the job. */
export type Actor = Pick<PrincipalData, 'kind' | 'id'>;

/** One entry of a ticket's timeline: what a member was and became, by whom and when. Only ever appended. */
@Entity({ tableName: 'ticket_change' })
@OrganizationFilter()
@Index({ properties: ['ticketId', 'id'] })
export class TicketChange {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  ticketId!: string;

  /** In the spelling of events, such as `assigned_to`. */
  @Property({ type: 'text' })
  member!: string;

  /** Null for what a ticket begins with. */
  @Property({ type: 'json', nullable: true })
  from: unknown = null;

  @Property({ type: 'json', nullable: true })
  to: unknown = null;

  @Property({ type: 'text' })
  actorKind!: Actor['kind'];

  @Property({ type: 'text' })
  actorId!: string;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
