import type { Plan } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { type ChangeSet, changesBetween } from '../../../kernel/records/changes.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { Category } from '../categories/category.ts';
import { type EscalationDetails, storeEscalation } from '../escalations/store-escalation.ts';
import type { SlaTracker } from '../sla/sla-tracker.ts';
import { TicketStatus } from '../ticket.states.ts';
import { Ticket } from './ticket.entity.ts';
import { ticketCreated, ticketEscalated, ticketResolved, ticketUpdated } from './ticket.events.ts';
import { type Actor, TicketChange, visibilityOf } from './ticket-change.entity.ts';

/** A change that is applied to a locked ticket. */
export type Change = (ticket: Ticket, now: Date) => Promise<void> | void;

/** A function that is called after each change of a ticket, in the same transaction. */
export type Follower = (tx: EntityManager, ticket: Ticket, changes: ChangeSet, now: Date) => Promise<void>;

/**
 * Creates and changes tickets, and writes their timeline and events in the same transaction. No other code creates or
 * changes tickets.
 */
export class TicketEditor {
  constructor(
    private readonly clock: Clock,
    private readonly sla: SlaTracker,
    private readonly followers: readonly Follower[] = [],
  ) {}

  /** Stores a new ticket. The organization's `plan` and the category determine the service-level targets. */
  async open(tx: EntityManager, ticket: Ticket, category: Category, actor: Actor & { plan: Plan }): Promise<void> {
    this.sla.begin(ticket, category, actor.plan);
    tx.persist(ticket);
    const begins = {
      status: { from: null, to: ticket.status },
      assigned_to: { from: null, to: ticket.agentId },
      ...(ticket.routingRuleId && { routing_rule: { from: null, to: ticket.routingRuleId } }),
    };
    this.#keep(tx, ticket, begins, actor);
    await record(tx, ticketCreated(ticket));
  }

  /**
   * Locks a ticket and changes it, so that concurrent changes run one after the other. The revision is compared and
   * incremented under this lock. `escalation` contains the details that are stored if the change escalates the ticket.
   * @throws ResourceNotFound, and any error that `act` throws
   */
  async change(tx: EntityManager, id: string, actor: Actor, act: Change, escalation?: EscalationDetails): Promise<Ticket> {
    const ticket = orNotFound(await tx.findOne(Ticket, { id }, { ...LOCKED, refresh: true }), 'ticket', id);
    const now = this.clock.now();
    // emits the SLA events that were already due before this change
    if (ticket.slaDueAt && ticket.slaDueAt <= now) await this.sla.emitDue(tx, ticket, now);
    const before = observed(ticket);
    await act(ticket, now);
    const changes = changesBetween(before, observed(ticket));
    if (Object.keys(changes).length === 0) return ticket;
    ticket.touch(now);
    this.#keep(tx, ticket, changes, actor);
    if (changes.escalation_level) storeEscalation(tx, ticket, actor, escalation);
    for (const follow of this.followers) await follow(tx, ticket, changes, now);
    await record(tx, ticketUpdated(ticket, changes));
    if (changes.status?.to === TicketStatus.RESOLVED) await record(tx, ticketResolved(ticket, changes));
    if (changes.status?.to === TicketStatus.ESCALATED || changes.escalation_level) await record(tx, ticketEscalated(ticket, changes));
    await this.sla.follow(tx, ticket, changes, now);
    return ticket;
  }

  #keep(tx: EntityManager, { id, organizationId, updatedAt }: Ticket, changes: ChangeSet, actor: Actor): void {
    for (const [member, { from, to }] of Object.entries(changes)) {
      const entry = {
        ticketId: id,
        organizationId,
        member,
        visibility: visibilityOf(member),
        from,
        to,
        actorKind: actor.kind,
        actorId: actor.id,
        createdAt: updatedAt,
      };
      tx.persist(Object.assign(new TicketChange(), { id: newId('ticketChange'), ...entry }));
    }
  }
}

/** Returns the fields whose changes are written to the timeline and the events. Internal notes are not among them. */
const observed = (ticket: Ticket) => ({
  status: ticket.status,
  priority: ticket.priority,
  assigned_to: ticket.agentId,
  escalation_level: ticket.escalationLevel,
  waiting_on_customer: ticket.waitingOnCustomer,
  estimated_resolution: ticket.estimatedResolution,
  customer_update: ticket.customerUpdate,
  metadata: ticket.metadata,
});
