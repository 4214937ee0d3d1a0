import type { Plan } from '../../../kernel/access/principal.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { TicketPriority } from '../ticket.states.ts';
import type { BusinessCalendar, Calendar, WorkingHours } from '../working-time/business-time.ts';

/** From this part of a target on it is at risk. */
export const AT_RISK_SHARE = 0.75;

/** What is promised for a priority, in minutes of working time. */
export interface SlaTarget {
  responseMinutes: number;
  resolutionMinutes: number;
  /** When an unresolved ticket gets escalation level 1, 2, … by itself, on the clock of the resolution. */
  escalateAfterMinutes: readonly number[];
}
export type SlaTargets = Readonly<Record<TicketPriority, SlaTarget>>;

/** What a desk promises, and when it works. */
export interface SlaPromise {
  /** The tier. */
  name: string;
  targets: SlaTargets;
  /** Null is round the clock. */
  businessHours: readonly WorkingHours[] | null;
  holidays: readonly string[];
  /** Of tickets whose location names none. */
  timezone: string;
}

/** One of a ticket's two clocks: how much time there is, and when it passes. */
export interface ClockTerms {
  minutes: number;
  calendar: Calendar;
}

/** What was promised for a ticket when it was opened, or given its priority. Kept with it: a promise outlives a change of the policy. */
export interface SlaTerms {
  tier: string;
  /** Of the organization when the ticket was opened: what its built-in tier goes by. */
  plan: Plan;
  response: ClockTerms;
  resolution: ClockTerms;
  escalateAfterMinutes: readonly number[];
}

export const milliseconds = (minutes: number): number => minutes * MINUTE_MS;

export interface Situation {
  plan: Plan;
  priority: TicketPriority;
  /** Of the ticket's location. */
  timezone: string | null | undefined;
  /** Of its subcategory: minutes until it is escalated. */
  escalationThreshold: number | null;
}

/** Critical tickets are worked on round the clock, the others by the desk's hours in their own zone. */
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

/** The first level comes when the subcategory says, and none of the next before it. */
const withFirst = (first: number, [, ...next]: readonly number[]): number[] => [first, ...next.map((minutes) => Math.max(minutes, first))];
