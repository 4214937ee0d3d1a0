import type { Plan } from '../../../kernel/access/principal.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import type { BusinessCalendar, Calendar, WorkingHours } from '../working-time/business-time.ts';

/** Share of a target after which a clock is at risk. */
export const AT_RISK_SHARE = 0.75;

/** SLA targets of a priority, in minutes of working time. */
export interface SlaTarget {
  responseMinutes: number;
  resolutionMinutes: number;
  /**
   * Minutes of the resolution clock after which an unresolved ticket reaches the escalation levels 1, 2 and so on
   * automatically.
   */
  escalateAfterMinutes: readonly number[];
}
export type SlaTargets = Readonly<Record<TicketPriority, SlaTarget>>;

/** Targets and working hours that apply to tickets. */
export interface SlaPromise {
  /** Name of the service level. Tickets show it as their tier. */
  name: string;
  targets: SlaTargets;
  /** Weekly working hours. Null means that all time is working time. */
  businessHours: readonly WorkingHours[] | null;
  holidays: readonly string[];
  /** Time zone of the working hours for tickets whose location has no time zone. */
  timezone: string;
}

/** Target and calendar of one clock of a ticket: the response clock or the resolution clock. */
export interface ClockTerms {
  minutes: number;
  calendar: Calendar;
}

/**
 * SLA terms of a ticket. They are set when the ticket is created or reopened, or when its priority changes, and are
 * stored with the ticket. A change of the SLA policy affects a ticket only when its terms are set again.
 */
export interface SlaTerms {
  tier: string;
  /** The organization's plan when the ticket was created. It determines the built-in service level. */
  plan: Plan;
  response: ClockTerms;
  resolution: ClockTerms;
  escalateAfterMinutes: readonly number[];
}

export const milliseconds = (minutes: number): number => minutes * MINUTE_MS;

export interface Situation {
  plan: Plan;
  priority: TicketPriority;
  /** Time zone of the ticket's location. */
  timezone: string | null | undefined;
  /** Minutes until escalation, as set for the ticket's subcategory. */
  escalationThreshold: number | null;
}

/**
 * Computes the SLA terms of a ticket. For critical tickets, the clocks always run. For other tickets, they run only in
 * the working hours, in the time zone of the ticket's location.
 */
export function termsOf(promise: SlaPromise, { plan, priority, timezone, escalationThreshold }: Situation): SlaTerms {
  const { responseMinutes, resolutionMinutes, escalateAfterMinutes } = promise.targets[priority];
  const { businessHours: hours, holidays } = promise;
  const calendar: BusinessCalendar | null =
    hours && priority !== TicketPriority.CRITICAL ? { timezone: timezone ?? promise.timezone, hours, holidays } : null;
  return {
    tier: promise.name,
    plan,
    response: { minutes: responseMinutes, calendar },
    resolution: { minutes: resolutionMinutes, calendar },
    escalateAfterMinutes: escalationThreshold === null ? escalateAfterMinutes : withFirst(escalationThreshold, escalateAfterMinutes),
  };
}

/**
 * Returns the minutes until each escalation level, with `first` for level 1. For a higher level, the result is never
 * less than `first`.
 */
const withFirst = (first: number, [, ...next]: readonly number[]): number[] => [first, ...next.map((minutes) => Math.max(minutes, first))];
