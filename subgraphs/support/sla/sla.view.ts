import type { Ticket } from '../tickets/ticket.entity.ts';
import { TicketStatus } from '../tickets/ticket.states.ts';
import { workingTime } from './business-time.ts';
import { elapsedAt, escalationsOf } from './sla.clocks.ts';
import { formatMinutes, formatTime } from './sla.durations.ts';
import { AT_RISK_SHARE, milliseconds } from './sla.terms.ts';
import { SlaClockStatus, type SlaEscalation, type SlaResolution, type SlaResponse, type SlaStatus, type TicketSla } from './sla.types.ts';

/** How the service level of a ticket stands at an instant. */
export function slaOf(ticket: Ticket, now: Date): TicketSla {
  const [response, resolution, escalation] = [responseOf(ticket, now), resolutionOf(ticket, now), escalationOf(ticket)];
  return {
    tier: ticket.slaTerms.tier,
    responseTime: response.target,
    resolutionTime: resolution.target,
    responseDue: response.dueAt,
    resolutionDue: resolution.dueAt,
    respondedAt: response.respondedAt,
    responseMet: isMet(response.status),
    timeRemaining: resolution.timeRemaining,
    escalated: escalation.currentLevel > 0 || ticket.status === TicketStatus.ESCALATED,
    escalationLevel: escalation.currentLevel,
    escalationReason: escalation.escalationReason,
    response,
    resolution,
    escalation,
  };
}

/** The same as specification 2.7 shows it on its own. */
export const slaStatusOf = (ticket: Ticket, now: Date): SlaStatus => ({
  ticketId: ticket.id,
  priority: ticket.priority,
  category: ticket.category,
  slaTier: ticket.slaTerms.tier,
  responseTime: responseOf(ticket, now),
  resolutionTime: resolutionOf(ticket, now),
  escalation: escalationOf(ticket),
});

function responseOf({ slaTerms, createdAt, responseDue, respondedAt, responseBreachedAt }: Ticket, now: Date): SlaResponse {
  const { minutes, calendar } = slaTerms.response;
  const taken = workingTime(createdAt, respondedAt ?? now, calendar);
  const isLate = respondedAt ? respondedAt > responseDue : now >= responseDue;
  const isAtRisk = taken >= milliseconds(minutes) * AT_RISK_SHARE;
  const open = isAtRisk ? SlaClockStatus.AT_RISK : SlaClockStatus.PENDING;
  return {
    target: formatMinutes(minutes),
    actual: respondedAt && formatTime(taken),
    status: isLate ? SlaClockStatus.BREACHED : respondedAt ? SlaClockStatus.MET : open,
    dueAt: responseDue,
    respondedAt,
    breachedAt: responseBreachedAt,
  };
}

function resolutionOf(ticket: Ticket, now: Date): SlaResolution {
  const { slaTerms, resolutionDue, resolutionBreachedAt, waitingSince } = ticket;
  const elapsed = elapsedAt(ticket, now);
  const target = milliseconds(slaTerms.resolution.minutes);
  return {
    target: formatMinutes(slaTerms.resolution.minutes),
    elapsed: formatTime(elapsed),
    status: resolutionStatus(ticket, elapsed, target),
    dueAt: resolutionDue,
    // of whole minutes, so that it and what has elapsed are the target
    timeRemaining: formatTime(target - Math.floor(elapsed / milliseconds(1)) * milliseconds(1)),
    paused: waitingSince !== null,
    pausedAt: waitingSince,
    breachedAt: resolutionBreachedAt,
  };
}

function resolutionStatus({ resolvedAt, respondedAt }: Ticket, elapsed: number, target: number): SlaClockStatus {
  if (resolvedAt) return elapsed <= target ? SlaClockStatus.MET : SlaClockStatus.BREACHED;
  if (elapsed >= target) return SlaClockStatus.BREACHED;
  if (elapsed >= target * AT_RISK_SHARE) return SlaClockStatus.AT_RISK;
  return respondedAt ? SlaClockStatus.IN_PROGRESS : SlaClockStatus.PENDING;
}

function escalationOf(ticket: Ticket): SlaEscalation {
  const { escalationLevel, escalatedAt, escalationReason } = ticket;
  return { currentLevel: escalationLevel, escalatedAt, escalationReason, nextEscalation: escalationsOf(ticket)[0]?.at ?? null };
}

function isMet(status: SlaClockStatus): boolean | null {
  if (status === SlaClockStatus.MET) return true;
  return status === SlaClockStatus.BREACHED ? false : null;
}
