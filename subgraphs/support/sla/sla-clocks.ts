import { TicketStatus } from '../ticket.states.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { addWorkingTime, type Span, workingTime } from '../working-time/business-time.ts';
import { AT_RISK_SHARE, milliseconds } from './sla-terms.ts';

/** The ticket fields from which the SLA status is computed. */
export const SLA_FIELDS = [
  'id',
  'status',
  'createdAt',
  'slaTerms',
  'respondedAt',
  'responseDue',
  'responseBreachedAt',
  'resolvedAt',
  'resolutionDue',
  'resolutionBreachedAt',
  'resolutionElapsed',
  'resolutionSince',
  'waitingSince',
  'escalationLevel',
  'escalatedAt',
  'escalationReason',
] as const satisfies readonly (keyof Ticket)[];
export type SlaTicket = Pick<Ticket, (typeof SLA_FIELDS)[number]>;

export enum SlaClock {
  RESPONSE = 'response_time',
  RESOLUTION = 'resolution_time',
}
export enum SlaMark {
  AT_RISK = 'at_risk',
  BREACHED = 'breached',
}

/** A time at which an SLA clock becomes at risk or breached, unless the clock stops earlier. */
export interface Deadline {
  clock: SlaClock;
  mark: SlaMark;
  at: Date;
}

/** A timeline entry for a field that starts or stops the resolution clock. */
export interface ClockEntry {
  member: string;
  to: unknown;
  createdAt: Date;
}

/**
 * Returns the periods in which the resolution clock ran. The clock is stopped while the ticket is resolved or waits for
 * its customer.
 */
export function runningSpans(openedAt: Date, timeline: readonly ClockEntry[]): Span[] {
  const spans: Span[] = [{ from: openedAt, to: null }];
  let [isResolved, isWaiting] = [false, false];
  for (const { member, to, createdAt } of timeline) {
    if (member === 'status') isResolved = to === TicketStatus.RESOLVED;
    if (member === 'waiting_on_customer') isWaiting = to === true;
    const last = spans.at(-1) as Span;
    if (last.to === null && (isResolved || isWaiting)) last.to = createdAt;
    else if (last.to !== null && !isResolved && !isWaiting) spans.push({ from: createdAt, to: null });
  }
  return spans;
}

/** Returns whether the resolution clock is stopped. */
export const isStopped = ({ resolvedAt, waitingSince }: SlaTicket): boolean => resolvedAt !== null || waitingSince !== null;

/** Returns the elapsed working time of the resolution clock, in milliseconds. */
export function elapsedAt(ticket: SlaTicket, now: Date): number {
  const { resolutionElapsed, resolutionSince, slaTerms } = ticket;
  return isStopped(ticket) ? resolutionElapsed : resolutionElapsed + workingTime(resolutionSince, now, slaTerms.resolution.calendar);
}

/**
 * Returns whether the elapsed resolution time has reached the target. This can also become true while the clock is
 * stopped, if a new priority has a shorter target.
 */
export const isOverdue = (ticket: SlaTicket, now: Date): boolean =>
  elapsedAt(ticket, now) >= milliseconds(ticket.slaTerms.resolution.minutes);

/**
 * Returns the time at which a running resolution clock reaches `ms` milliseconds. The result is never before
 * `resolutionSince`: if the clock had already reached `ms` at that time, the result is `resolutionSince`.
 */
function takesAt({ resolutionElapsed, resolutionSince, slaTerms }: SlaTicket, ms: number): Date {
  return addWorkingTime(resolutionSince, Math.max(0, ms - resolutionElapsed), slaTerms.resolution.calendar);
}

/**
 * Lists future deadlines, and past deadlines that were not reported yet. A clock whose breach was reported has no
 * deadlines.
 */
export function deadlinesOf(ticket: SlaTicket, now: Date): Deadline[] {
  const { slaTerms, createdAt, respondedAt, responseDue, responseBreachedAt, resolutionDue, resolutionBreachedAt } = ticket;
  const { minutes, calendar } = slaTerms.response;
  const deadlines: Deadline[] = [];
  if (!respondedAt && !responseBreachedAt) {
    const riskAt = addWorkingTime(createdAt, milliseconds(minutes) * AT_RISK_SHARE, calendar);
    deadlines.push({ clock: SlaClock.RESPONSE, mark: SlaMark.AT_RISK, at: riskAt });
    deadlines.push({ clock: SlaClock.RESPONSE, mark: SlaMark.BREACHED, at: responseDue });
  }
  // a stopped clock reaches no deadlines, but it may have passed its target before it was stopped
  if (!resolutionBreachedAt && (!isStopped(ticket) || isOverdue(ticket, now))) {
    const riskAt = takesAt(ticket, milliseconds(slaTerms.resolution.minutes) * AT_RISK_SHARE);
    deadlines.push({ clock: SlaClock.RESOLUTION, mark: SlaMark.AT_RISK, at: riskAt });
    deadlines.push({ clock: SlaClock.RESOLUTION, mark: SlaMark.BREACHED, at: resolutionDue });
  }
  return deadlines;
}

export interface EscalationStep {
  level: number;
  at: Date;
}

/**
 * Lists the remaining automatic escalations of a ticket, the next escalation first. The list is empty while the
 * resolution clock is stopped.
 */
export function escalationsOf(ticket: SlaTicket): EscalationStep[] {
  if (isStopped(ticket)) return [];
  return ticket.slaTerms.escalateAfterMinutes
    .map((minutes, index) => ({ level: index + 1, minutes }))
    .filter(({ level }) => level > ticket.escalationLevel)
    .map(({ level, minutes }) => ({ level, at: takesAt(ticket, milliseconds(minutes)) }));
}
