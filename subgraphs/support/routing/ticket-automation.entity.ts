import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { addDuration, parseDuration } from '../../../kernel/values/durations.ts';

export enum AutomationKind {
  ESCALATION = 'escalation',
  UPDATE = 'update',
}

/** What a routing rule has going on with a ticket: when it is next to be done. It stays with the ticket, in case that is reopened. */
@Entity({ tableName: 'ticket_automation' })
@OrganizationFilter()
@Index({ properties: ['ticketId'] })
@Index({ properties: ['ruleId'] })
@Index({ properties: ['dueAt'], where: 'due_at is not null', name: 'ticket_automation_due_index' })
export class TicketAutomation {
  @PrimaryKey({ type: 'text' })
  id!: string;

  @Property({ type: 'text' })
  organizationId!: string;

  @Property({ type: 'text' })
  ticketId!: string;

  @Property({ type: 'text' })
  ruleId!: string;

  @Enum({ items: () => AutomationKind, type: 'text' })
  kind!: AutomationKind;

  /** A duration as the rule had it when it matched. */
  @Property({ type: 'text' })
  interval!: string;

  /** Null where nothing is to come: it was done, or the ticket is resolved. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  dueAt: Date | null = null;

  /** Counts from an instant on, anew. */
  startAt(instant: Date): void {
    this.dueAt = addDuration(instant, parseDuration(this.interval));
  }

  /** After it was done: an update comes again, at its next instant that is still to come. What was missed is not made up for. */
  done(now: Date): void {
    if (this.kind === AutomationKind.ESCALATION) this.dueAt = null;
    while (this.dueAt && this.dueAt <= now) this.startAt(this.dueAt);
  }
}
