import { TicketStatus } from '../ticket.states.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { addWorkingTime, type Span, workingTime } from '../working-time/business-time.ts';
import { AT_RISK_SHARE, milliseconds } from './sla-terms.ts';

/** What the service level of a ticket is told from. */
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

/** What happens to a ticket's service level at an instant, unless somebody is quicker. */
export interface Deadline {
  clock: SlaClock;
  mark: SlaMark;
  at: Date;
}

/** Of what the timeline says about the clock of the resolution. */
export interface ClockEntry {
  member: string;
  to: unknown;
  createdAt: Date;
}

/** When the clock of a ticket's resolution ran: not while it was resolved, nor while it waited for its customer. */
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

/** Whether the clock of the resolution stands. */
export const isStopped = ({ resolvedAt, waitingSince }: SlaTicket): boolean => resolvedAt !== null || waitingSince !== null;

/** Milliseconds of working time that the resolution has taken. */
export function elapsedAt(ticket: SlaTicket, now: Date): number {
  const { resolutionElapsed, resolutionSince, slaTerms } = ticket;
  return isStopped(ticket) ? resolutionElapsed : resolutionElapsed + workingTime(resolutionSince, now, slaTerms.resolution.calendar);
}

/** Whether the resolution has taken all the time that there was for it. Its clock may stand by now: another priority allows less. */
export const isOverdue = (ticket: SlaTicket, now: Date): boolean =>
  elapsedAt(ticket, now) >= milliseconds(ticket.slaTerms.resolution.minutes);

/** Of a clock that runs: when the resolution will have taken so long. Past instants are not earlier than when it began to run. */
function takesAt({ resolutionElapsed, resolutionSince, slaTerms }: SlaTicket, ms: number): Date {
  return addWorkingTime(resolutionSince, Math.max(0, ms - resolutionElapsed), slaTerms.resolution.calendar);
}

/** What is still to come, or has come and was not told. A breach that was told is not among them, and no risk beside it. */
export function deadlinesOf(ticket: SlaTicket, now: Date): Deadline[] {
  const { slaTerms, createdAt, respondedAt, responseDue, responseBreachedAt, resolutionDue, resolutionBreachedAt } = ticket;
  const { minutes, calendar } = slaTerms.response;
  const deadlines: Deadline[] = [];
  if (!respondedAt && !responseBreachedAt) {
    const riskAt = addWorkingTime(createdAt, milliseconds(minutes) * AT_RISK_SHARE, calendar);
    deadlines.push({ clock: SlaClock.RESPONSE, mark: SlaMark.AT_RISK, at: riskAt });
    deadlines.push({ clock: SlaClock.RESPONSE, mark: SlaMark.BREACHED, at: responseDue });
  }
  // a clock that stands comes to nothing more, but may have come too far
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

/** The levels that an unresolved ticket gets by itself, the next one first; none while its clock stands. */
export function escalationsOf(ticket: SlaTicket): EscalationStep[] {
  if (isStopped(ticket)) return [];
  return ticket.slaTerms.escalateAfterMinutes
    .map((minutes, index) => ({ level: index + 1, minutes }))
    .filter(({ level }) => level > ticket.escalationLevel)
    .map(({ level, minutes }) => ({ level, at: takesAt(ticket, milliseconds(minutes)) }));
}
