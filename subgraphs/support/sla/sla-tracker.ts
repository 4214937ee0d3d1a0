import type { Plan } from '../../../kernel/access/principal.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { ChangeSet } from '../../../kernel/records/changes.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { type Category, categoryOf } from '../categories/category.ts';
import { TicketStatus } from '../ticket.states.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { slaAtRisk, slaBreach } from '../tickets/ticket.events.ts';
import { type Actor, TicketChange, visibilityOf } from '../tickets/ticket-change.entity.ts';
import { addWorkingTime, reachedAt, workingTime } from '../working-time/business-time.ts';
import { type Deadline, deadlinesOf, escalationsOf, isOverdue, runningSpans, SlaClock, SlaMark } from './sla-clocks.ts';
import { SlaMilestone } from './sla-milestone.entity.ts';
import { milliseconds, termsOf } from './sla-terms.ts';

/** Actor that is recorded for automatic escalations and SLA events. */
export const SLA_JOB: Actor = { kind: 'system', id: 'support.sla' };
/** Timeline fields that start and stop the resolution clock. */
const CLOCK_FIELDS = ['status', 'waiting_on_customer'];

/**
 * Maintains the stored SLA state of a ticket: terms, due times, elapsed resolution time, and the next deadline. Must be
 * called in the transaction that changes the ticket, while the ticket is locked.
 */
export class SlaTracker {
  /** Sets the SLA terms of a new ticket, and starts its response clock and its resolution clock. */
  begin(ticket: Ticket, category: Category, plan: Plan): void {
    promise(ticket, category, plan);
    const { createdAt, slaTerms } = ticket;
    ticket.resolutionSince = createdAt;
    ticket.responseDue = addWorkingTime(createdAt, milliseconds(slaTerms.response.minutes), slaTerms.response.calendar);
    ticket.resolutionDue = addWorkingTime(createdAt, milliseconds(slaTerms.resolution.minutes), slaTerms.resolution.calendar);
    ticket.slaDueAt = nextInstant(ticket, createdAt);
  }

  /**
   * Updates the SLA state after a change of the ticket. The timeline must already contain the change, because the due
   * times are computed from the timeline. Emits events for deadlines that have passed as a result of the change.
   */
  async follow(
    tx: EntityManager,
    ticket: Ticket,
    { status, priority, waiting_on_customer, escalation_level }: ChangeSet,
    now: Date,
  ): Promise<void> {
    const isReopened = status?.from === TicketStatus.RESOLVED;
    // a resolved ticket keeps its terms until it is reopened
    const isPromised = (priority !== undefined || isReopened) && !ticket.resolvedAt;
    if (isPromised) promise(ticket, await categoryOf(tx, ticket.category), ticket.slaTerms.plan);
    if (isPromised || status || waiting_on_customer) await this.#recount(tx, ticket);
    if (isPromised) withdrawBreaches(ticket, now);
    if (isPromised || status || waiting_on_customer || escalation_level) await this.emitDue(tx, ticket, now);
  }

  /** Emits events for deadlines that have passed and have no event yet. Stores the next deadline. */
  async emitDue(tx: EntityManager, ticket: Ticket, now: Date): Promise<void> {
    const due = deadlinesOf(ticket, now).filter(({ at }) => at <= now);
    if (due.length > 0) {
      // writes pending changes to the database first, because this transaction may already have added milestones
      await tx.flush();
      const milestones = await tx.find(SlaMilestone, { ticketId: ticket.id });
      const breached = due.filter(({ mark }) => mark === SlaMark.BREACHED).map(({ clock }) => clock);
      // if a clock is breached, no event reports that it is at risk
      const emitted = due.filter(({ mark, clock }) => mark === SlaMark.BREACHED || !breached.includes(clock));
      for (const deadline of emitted) await this.#emit(tx, ticket, deadline, milestones, now);
    }
    ticket.slaDueAt = nextInstant(ticket, now);
  }

  async #recount(tx: EntityManager, ticket: Ticket): Promise<void> {
    const { createdAt, slaTerms, respondedAt } = ticket;
    const { minutes, calendar } = slaTerms.resolution;
    // writes pending changes to the database first, so that the query also reads timeline entries of this transaction
    await tx.flush();
    const timeline = await tx.find(
      TicketChange,
      { ticketId: ticket.id, member: { $in: CLOCK_FIELDS } },
      { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
    );
    const spans = runningSpans(createdAt, timeline);
    const last = spans.at(-1) ?? { from: createdAt, to: null };
    ticket.resolutionDue = reachedAt(spans, milliseconds(minutes), calendar);
    ticket.resolutionElapsed = spans.reduce((sum, { from, to }) => sum + (to ? workingTime(from, to, calendar) : 0), 0);
    ticket.resolutionSince = last.to ?? last.from;
    if (!respondedAt) ticket.responseDue = addWorkingTime(createdAt, milliseconds(slaTerms.response.minutes), slaTerms.response.calendar);
  }

  async #emit(
    tx: EntityManager,
    ticket: Ticket,
    { clock, mark, at }: Deadline,
    milestones: readonly SlaMilestone[],
    now: Date,
  ): Promise<void> {
    const { id: ticketId, organizationId, slaTerms } = ticket;
    const isResponse = clock === SlaClock.RESPONSE;
    const targetMinutes = (isResponse ? slaTerms.response : slaTerms.resolution).minutes;
    if (mark === SlaMark.BREACHED) Object.assign(ticket, { [isResponse ? 'responseBreachedAt' : 'resolutionBreachedAt']: now });
    if (milestones.some((one) => one.clock === clock && one.mark === mark && one.targetMinutes === targetMinutes)) return;
    const milestone = { id: newId('slaMilestone'), organizationId, ticketId, clock, mark, targetMinutes, dueAt: at, createdAt: now };
    tx.persist(Object.assign(new SlaMilestone(), milestone));
    const { kind: actorKind, id: actorId } = SLA_JOB;
    const entry = {
      id: newId('ticketChange'),
      organizationId,
      ticketId,
      member: clock,
      visibility: visibilityOf(clock),
      from: null,
      to: mark,
      actorKind,
      actorId,
      createdAt: now,
    };
    tx.persist(Object.assign(new TicketChange(), entry));
    const event = mark === SlaMark.BREACHED ? slaBreach : slaAtRisk;
    await record(tx, event(ticket, { clock, targetMinutes, dueAt: isResponse ? ticket.responseDue : ticket.resolutionDue }, now));
  }
}

/** Sets the SLA terms that apply to the ticket's current priority, category and location. */
function promise(ticket: Ticket, category: Category, plan: Plan): void {
  const { priority, location, subcategory, respondedAt, slaTerms } = ticket;
  const escalationThreshold = category.escalationThreshold(subcategory);
  const terms = termsOf(category.promise(plan), { plan, priority, timezone: location?.timezone, escalationThreshold });
  // if support staff have already responded, the terms of the response clock do not change
  ticket.slaTerms = respondedAt && slaTerms ? { ...terms, response: slaTerms.response } : terms;
}

/** Clears recorded breaches that are not breaches under the new terms. */
function withdrawBreaches(ticket: Ticket, now: Date): void {
  if (!ticket.respondedAt && ticket.responseDue > now) ticket.responseBreachedAt = null;
  if (!isOverdue(ticket, now)) ticket.resolutionBreachedAt = null;
}

/**
 * Returns the next time at which the SLA sweeper must process the ticket: the time of the next deadline or escalation.
 * This time is in the past if an escalation is already due, because only the sweeper escalates tickets.
 */
function nextInstant(ticket: Ticket, now: Date): Date | null {
  const instants = [...deadlinesOf(ticket, now).filter(({ at }) => at > now), ...escalationsOf(ticket).slice(0, 1)].map(({ at }) =>
    at.getTime(),
  );
  return instants.length > 0 ? new Date(Math.min(...instants)) : null;
}
