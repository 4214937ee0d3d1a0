import { Decimal, sum } from '../../../kernel/values/money.ts';
import { addMonths, firstDay } from '../costs/months.ts';
import type { Budget } from './budget.entity.ts';
import { type BudgetSpan, spanOf } from './budget-period.ts';

/** Runs a statement with `?` for its values, in a transaction or outside of one. */
export type Execute = <R extends object>(text: string, values: readonly unknown[]) => Promise<R[]>;

/** The costs of a budget in its current period. */
export interface Spending {
  span: BudgetSpan;
  /** Costs of the months up to the current one. */
  spent: Decimal;
  /** Expected costs of the whole period. */
  forecast: Decimal;
}

/**
 * Reads the costs of a budget. Each month up to the current one counts as far as it was invoiced. The forecast expects that the
 * current and each later month cost as much as the month before the current one, or more if more was already invoiced.
 */
export async function spendingOf(execute: Execute, budget: Budget, now: Date): Promise<Spending> {
  const span = spanOf(budget.period, now, budget.timezone);
  const { organizationId, accountId, serviceId, category, currency } = budget;
  const before = addMonths(span.month, -1);
  const wanted = [...new Set([before, ...span.months])].map(firstDay);
  const rows = await execute<{ month: string; amount: string }>(
    `select to_char("month", 'YYYY-MM') as "month", sum("amount")::text as "amount" from "billing"."cost_month"
     where "organization_id" = ? and "account_id" = ? and "service_id" = ? and "currency" = ? ${category ? 'and "category" = ?' : ''}
       and "month" in (${wanted.map(() => '?::date').join(', ')}) group by 1`,
    [organizationId, accountId ?? '', serviceId ?? '', currency, ...(category ? [category] : []), ...wanted],
  );
  const costOf = (month: string): Decimal => new Decimal(rows.find((row) => row.month === month)?.amount ?? 0);
  const isOver = (month: string): boolean => month < span.month;
  const spent = sum(span.months.filter((month) => month <= span.month).map(costOf));
  const expected = span.months.map((month) => (isOver(month) ? costOf(month) : Decimal.max(costOf(month), costOf(before))));
  return { span, spent, forecast: sum(expected) };
}
