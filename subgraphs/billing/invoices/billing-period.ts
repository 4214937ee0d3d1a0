import { type BillingCycle, monthsOf } from '../../../kernel/values/billing-cycle.ts';
import { DAY_MS, dateOf } from '../../../kernel/values/days.ts';
import { addDuration } from '../../../kernel/values/durations.ts';

/**
 * Returns the first and last day (UTC) of the billing cycle that starts at `start`, as a text such as `2026-01-31 to
 * 2026-02-27`.
 */
export function periodText(start: Date, cycle: BillingCycle): string {
  const end = new Date(addDuration(start, { months: monthsOf(cycle), ms: 0 }).getTime() - DAY_MS);
  return `${dateOf(start)} to ${dateOf(end)}`;
}
