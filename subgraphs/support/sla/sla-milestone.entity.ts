import { Entity, Enum, PrimaryKey, Property, Unique } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { SlaClock, SlaMark } from './sla-clocks.ts';

/** That one of a ticket's clocks got at risk, or was breached, under one target: once, whoever finds it. Only ever appended. */
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

  /** The instant at which it fell due; it was told of at `createdAt`. */
  @Property({ type: 'datetime', length: 3 })
  dueAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;
}
