import { addDuration } from '../../../kernel/values/durations.ts';

/** Months of a billing cycle, by the words that customers use for it. */
const MONTHS = { monthly: 1, quarterly: 3, annual: 12, yearly: 12 } as const;

export type BillingCycle = keyof typeof MONTHS;
export const billingCycles = Object.keys(MONTHS) as [BillingCycle, ...BillingCycle[]];
export const monthsOf = (cycle: BillingCycle): number => MONTHS[cycle];

/** `2026-01-31 to 2026-02-27`: the first and the last day (UTC) of the cycle that begins at an instant. */
export function periodText(start: Date, cycle: BillingCycle): string {
  const end = new Date(addDuration(start, { months: monthsOf(cycle), ms: 0 }).getTime() - DAY_MS);
  return `${dayOf(start)} to ${dayOf(end)}`;
}

const DAY_MS = 24 * 3600 * 1000;
const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);
