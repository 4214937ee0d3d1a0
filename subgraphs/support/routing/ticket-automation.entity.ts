import { Entity, Enum, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { OrganizationFilter } from '../../../kernel/records/organization-filter.ts';
import { addDuration, parseDuration } from '../../../kernel/values/durations.ts';

export enum AutomationKind {
  ESCALATION = 'escalation',
  UPDATE = 'update',
}

/**
 * A pending action of a routing rule for a ticket, with its due time. The record is kept when the ticket is resolved,
 * because the ticket may be reopened.
 */
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

  /**
   * Time until the escalation, or between two customer updates. Copied from the routing rule when the rule matched the
   * ticket.
   */
  @Property({ type: 'text' })
  interval!: string;

  /** Time at which the action is due. Null if the action was done or the ticket is resolved. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  dueAt: Date | null = null;

  /** Sets the due time to one interval after `instant`. */
  startAt(instant: Date): void {
    this.dueAt = addDuration(instant, parseDuration(this.interval));
  }

  /**
   * Marks the action as done. A customer update becomes due again after each interval. Due times that are not after
   * `now` are skipped.
   */
  done(now: Date): void {
    if (this.kind === AutomationKind.ESCALATION) this.dueAt = null;
    while (this.dueAt && this.dueAt <= now) this.startAt(this.dueAt);
  }
}
