import { Entity, Enum, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { SlaClock, SlaMark } from './sla-clocks.ts';

/** A record that a clock of a ticket became at risk or was breached under one target. Unique, so each is reported once. Never changed. */
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

  /** When the deadline was; `createdAt` is when the event was emitted. */
  @Property({ type: 'datetime', length: 3 })
  dueAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
