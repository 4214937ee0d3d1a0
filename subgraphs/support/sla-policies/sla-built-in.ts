import type { Plan } from '../../../kernel/access/principal.ts';
import { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import type { CategoryId } from '../categories/category-ids.ts';
import type { SlaPromise, SlaTarget, SlaTargets } from '../sla/sla-terms.ts';
import type { WorkingHours } from '../working-time/business-time.ts';

const HOUR = 60;
type Hours = readonly [response: number, resolution: number];

/** Usual response and resolution targets in hours, for the priorities low, medium, high and critical. */
const USUAL: readonly [Hours, Hours, Hours, Hours] = [
  [8, 72],
  [4, 24],
  [1, 8],
  [0.25, 4],
];
const BY_CATEGORY: Readonly<Partial<Record<CategoryId, typeof USUAL>>> = {
  security: [
    [4, 48],
    [2, 12],
    [0.5, 6],
    [0.25, 2],
  ],
  billing: [
    [16, 120],
    [8, 72],
    [4, 24],
    [1, 8],
  ],
  account: [
    [16, 120],
    [8, 72],
    [4, 24],
    [1, 8],
  ],
};

/**
 * Shares of the resolution target after which a ticket reaches the escalation levels 1, 2 and so on. More urgent
 * tickets escalate earlier.
 */
const ESCALATED_AFTER: Readonly<Record<TicketPriority, readonly number[]>> = {
  low: [1],
  medium: [1],
  high: [0.75, 1],
  critical: [0.5, 0.75, 1],
};

const OFFICE: readonly WorkingHours[] = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }];
const ROUND_THE_CLOCK: ReadonlySet<Plan> = new Set<Plan>(['enterprise', 'custom']);

/**
 * Returns the service level for a category that has no SLA policy. The category determines the targets, and the
 * organization's plan determines the name and the business hours.
 */
export const builtInPromise = (plan: Plan, category: CategoryId): SlaPromise => ({
  name: plan,
  targets: targetsIn(BY_CATEGORY[category] ?? USUAL),
  businessHours: ROUND_THE_CLOCK.has(plan) ? null : OFFICE,
  holidays: [],
  timezone: 'UTC',
});

function targetsIn([low, medium, high, critical]: typeof USUAL): SlaTargets {
  const target = (priority: TicketPriority, [response, resolution]: Hours): SlaTarget => ({
    responseMinutes: response * HOUR,
    resolutionMinutes: resolution * HOUR,
    escalateAfterMinutes: ESCALATED_AFTER[priority].map((share) => share * resolution * HOUR),
  });
  return {
    low: target(TicketPriority.LOW, low),
    medium: target(TicketPriority.MEDIUM, medium),
    high: target(TicketPriority.HIGH, high),
    critical: target(TicketPriority.CRITICAL, critical),
  };
}
