import { TicketStatus } from '../ticket.states.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { workingTime } from '../working-time/business-time.ts';
import { formatMinutes, formatTime } from '../working-time/durations.ts';
import { SlaClockStatus, type SlaEscalation, type SlaResolution, type SlaResponse, type SlaStatus, type TicketSla } from './sla.types.ts';
import { elapsedAt, escalationsOf, type SlaTicket } from './sla-clocks.ts';
import { AT_RISK_SHARE, milliseconds } from './sla-terms.ts';

/**
 * Computes the SLA status of a ticket at a point in time. Properties are computed on access, because most requests
 * select only few of them.
 */
export class SlaView implements TicketSla {
  readonly response: ResponseView;
  readonly resolution: ResolutionView;
  readonly escalation: EscalationView;

  constructor(
    private readonly ticket: SlaTicket,
    now: Date,
  ) {
    this.response = new ResponseView(ticket, now);
    this.resolution = new ResolutionView(ticket, now);
    this.escalation = new EscalationView(ticket);
  }

  get tier(): string {
    return this.ticket.slaTerms.tier;
  }

  get responseTime(): string {
    return this.response.target;
  }

  get resolutionTime(): string {
    return this.resolution.target;
  }

  get responseDue(): Date {
    return this.ticket.responseDue;
  }

  get resolutionDue(): Date {
    return this.ticket.resolutionDue;
  }

  get respondedAt(): Date | null {
    return this.ticket.respondedAt;
  }

  get responseMet(): boolean | null {
    if (this.response.isLate) return false;
    return this.ticket.respondedAt ? true : null;
  }

  get timeRemaining(): string {
    return this.resolution.timeRemaining;
  }

  get escalated(): boolean {
    return this.ticket.escalationLevel > 0 || this.ticket.status === TicketStatus.ESCALATED;
  }

  get escalationLevel(): number {
    return this.ticket.escalationLevel;
  }

  get escalationReason(): string | null {
    return this.ticket.escalationReason;
  }
}

/** Returns the SLA status of a ticket with the fields that `GET /support/tickets/{ticket_id}/sla` returns (specification 2.7). */
export const slaStatusOf = (ticket: Ticket, now: Date): SlaStatus => {
  const { tier: slaTier, response: responseTime, resolution: resolutionTime, escalation } = new SlaView(ticket, now);
  const { id: ticketId, priority, category } = ticket;
  return { ticketId, priority, category, slaTier, responseTime, resolutionTime, escalation };
};

class ResponseView implements SlaResponse {
  constructor(
    private readonly ticket: SlaTicket,
    private readonly now: Date,
  ) {}

  get target(): string {
    return formatMinutes(this.ticket.slaTerms.response.minutes);
  }

  get actual(): string | null {
    return this.ticket.respondedAt && formatTime(this.#taken());
  }

  get status(): SlaClockStatus {
    if (this.isLate) return SlaClockStatus.BREACHED;
    if (this.ticket.respondedAt) return SlaClockStatus.MET;
    const isAtRisk = this.#taken() >= milliseconds(this.ticket.slaTerms.response.minutes) * AT_RISK_SHARE;
    return isAtRisk ? SlaClockStatus.AT_RISK : SlaClockStatus.PENDING;
  }

  /** Returns whether the response is late. A response exactly at the due time is late. */
  get isLate(): boolean {
    return (this.ticket.respondedAt ?? this.now) >= this.ticket.responseDue;
  }

  get dueAt(): Date {
    return this.ticket.responseDue;
  }

  get respondedAt(): Date | null {
    return this.ticket.respondedAt;
  }

  get breachedAt(): Date | null {
    return this.ticket.responseBreachedAt;
  }

  #taken(): number {
    const { createdAt, respondedAt, slaTerms } = this.ticket;
    return workingTime(createdAt, respondedAt ?? this.now, slaTerms.response.calendar);
  }
}

class ResolutionView implements SlaResolution {
  #elapsedMs: number | undefined;

  constructor(
    private readonly ticket: SlaTicket,
    private readonly now: Date,
  ) {}

  get target(): string {
    return formatMinutes(this.ticket.slaTerms.resolution.minutes);
  }

  get elapsed(): string {
    return formatTime(this.#elapsed());
  }

  get status(): SlaClockStatus {
    const [elapsed, target] = [this.#elapsed(), this.#target()];
    if (elapsed >= target) return SlaClockStatus.BREACHED;
    if (this.ticket.resolvedAt) return SlaClockStatus.MET;
    if (elapsed >= target * AT_RISK_SHARE) return SlaClockStatus.AT_RISK;
    return this.ticket.respondedAt ? SlaClockStatus.IN_PROGRESS : SlaClockStatus.PENDING;
  }

  get dueAt(): Date {
    return this.ticket.resolutionDue;
  }

  /**
   * Remaining time until the target. The time is rounded to whole minutes, so that the elapsed and the remaining time
   * add up to the target.
   */
  get timeRemaining(): string {
    return formatTime(this.#target() - Math.floor(this.#elapsed() / milliseconds(1)) * milliseconds(1));
  }

  get paused(): boolean {
    return this.ticket.waitingSince !== null;
  }

  get pausedAt(): Date | null {
    return this.ticket.waitingSince;
  }

  get breachedAt(): Date | null {
    return this.ticket.resolutionBreachedAt;
  }

  #target(): number {
    return milliseconds(this.ticket.slaTerms.resolution.minutes);
  }

  #elapsed(): number {
    this.#elapsedMs ??= elapsedAt(this.ticket, this.now);
    return this.#elapsedMs;
  }
}

export class EscalationView implements SlaEscalation {
  constructor(readonly ticket: SlaTicket) {}

  get currentLevel(): number {
    return this.ticket.escalationLevel;
  }

  get escalatedAt(): Date | null {
    return this.ticket.escalatedAt;
  }

  get escalationReason(): string | null {
    return this.ticket.escalationReason;
  }

  /** Time of the next escalation that the SLA causes. A routing rule may escalate the ticket earlier. */
  get nextStep(): Date | null {
    return escalationsOf(this.ticket)[0]?.at ?? null;
  }
}
