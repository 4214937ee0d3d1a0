import { Entity, Enum, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { SlaClock, SlaMark } from './sla-clocks.ts';

/**
 * Records that an SLA clock of a ticket became at risk or was breached. A ticket has at most one such record for each
 * clock, mark and target, so each event is emitted only once. The records never change.
 */
@Entity({ tableName: 'sla_milestone' })
@OrganizationFilter()
@Unique({ properties: ['ticketId', 'clock', 'mark', 'targetMinutes'] })
export class SlaMilestone {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  ticketId!: string;

  @Enum({ items: () => SlaClock, type: 'text' })
  clock!: SlaClock;

  @Enum({ items: () => SlaMark, type: 'text' })
  mark!: SlaMark;

  @Property({ type: 'integer' })
  targetMinutes!: number;

  /** Time of the deadline. `createdAt` is the time at which the event was emitted. */
  @Property({ type: 'datetime', length: 3 })
  dueAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
