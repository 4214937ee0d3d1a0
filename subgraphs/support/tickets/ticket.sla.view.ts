import { formatDuration } from '../../../kernel/durations.ts';
import type { Ticket } from './ticket.entity.ts';
import { slaTarget, type TicketSla } from './ticket.sla.ts';
import { TicketStatus } from './ticket.states.ts';

const MINUTE_MS = 60_000;

/** How the service level of a ticket stands at an instant. */
export function slaOf(ticket: Ticket, now: Date): TicketSla {
  const { responseMinutes, resolutionMinutes } = slaTarget(ticket.priority);
  const { responseDue, resolutionDue, respondedAt, resolvedAt, escalationLevel, escalationReason } = ticket;
  return {
    responseTime: minutes(responseMinutes),
    resolutionTime: minutes(resolutionMinutes),
    responseDue,
    resolutionDue,
    respondedAt,
    responseMet: metBy(responseDue, respondedAt, now),
    timeRemaining: remaining(resolutionDue.getTime() - (resolvedAt ?? now).getTime()),
    escalated: escalationLevel > 0 || ticket.status === TicketStatus.ESCALATED,
    escalationLevel,
    escalationReason,
  };
}

const minutes = (count: number): string => formatDuration({ months: 0, ms: count * MINUTE_MS });

/** To the minute: `3 hours 20 minutes`, `-1 hour 5 minutes` past due. */
function remaining(ms: number): string {
  const total = Math.floor(Math.abs(ms) / MINUTE_MS);
  const parts = [Math.floor(total / 60), total % 60].map((count, index) =>
    count ? formatDuration({ months: 0, ms: count * (index ? 1 : 60) * MINUTE_MS }) : '',
  );
  return `${ms < 0 && total > 0 ? '-' : ''}${parts.filter(Boolean).join(' ') || '0 minutes'}`;
}

/** Null while it is open: neither answered nor past due. */
function metBy(due: Date, done: Date | null, now: Date): boolean | null {
  if (done) return done <= due;
  return now > due ? false : null;
}
