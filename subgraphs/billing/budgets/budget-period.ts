import { startOfDay } from '../../../kernel/values/local-time.ts';
import { localDay } from '../calculation/billing-periods.ts';
import { addMonths, firstDay } from '../costs/months.ts';
import { BudgetPeriod } from './budget.states.ts';

/** The current period of a budget. */
export interface BudgetSpan {
  start: Date;
  /** End of the period. The period does not contain this time. */
  end: Date;
  /** All months of the period, such as `2026-01`. */
  months: string[];
  /** The current month, such as `2026-01`. */
  month: string;
}

const MONTHS: Readonly<Record<BudgetPeriod, number>> = {
  [BudgetPeriod.MONTHLY]: 1,
  [BudgetPeriod.QUARTERLY]: 3,
  [BudgetPeriod.ANNUAL]: 12,
};

/** Returns the budget period that contains `now`, in the calendar of a time zone. Quarters begin in January, April, July and October. */
export function spanOf(period: BudgetPeriod, now: Date, zone: string): BudgetSpan {
  const month = localDay(now, zone).slice(0, 7);
  const length = MONTHS[period];
  const first = addMonths(month, -((Number(month.slice(5)) - 1) % length));
  const months = Array.from({ length }, (_, index) => addMonths(first, index));
  return { start: startOfDay(firstDay(first), zone), end: startOfDay(firstDay(addMonths(first, length)), zone), months, month };
}
