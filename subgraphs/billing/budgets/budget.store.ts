import { Decimal, sum } from '../../../kernel/values/money.ts';
import { addMonths, firstDay } from '../costs/months.ts';
import type { Budget } from './budget.entity.ts';
import { type BudgetSpan, spanOf } from './budget-period.ts';

/** Runs a statement with `?` for its values, in a transaction or outside of one. */
export type Execute = <R extends object>(text: string, values: readonly unknown[]) => Promise<R[]>;

/** The costs of a budget in its current period. */
export interface Spending {
  span: BudgetSpan;
  /** Costs from the first month of the period to the current month. */
  spent: Decimal;
  /** Expected costs of the whole period. */
  forecast: Decimal;
}

interface CostRow {
  index: number;
  month: string;
  amount: string;
}

/**
 * Reads the costs of budgets of one organization, in one statement. The costs of a month are the invoiced costs. The forecast assumes that
 * the current month and each later month cost as much as the month before the current month. If a higher amount was already invoiced for a
 * month, the forecast uses this amount.
 */
export async function spendingsOf(execute: Execute, budgets: readonly Budget[], now: Date): Promise<Spending[]> {
  const spans = budgets.map(({ period, timezone }) => spanOf(period, now, timezone));
  const wanted = budgets.map(({ accountId, serviceId, category, currency }, index) => {
    const { months, month } = spans[index] as BudgetSpan;
    const first = [addMonths(month, -1), ...months].sort()[0] as string;
    return {
      index,
      account: accountId ?? '',
      service: serviceId ?? '',
      category,
      currency,
      first: firstDay(first),
      last: firstDay(months.at(-1) ?? month),
    };
  });
  const rows = await execute<CostRow>(
    `select b."index", to_char(c."month", 'YYYY-MM') as "month", sum(c."amount")::text as "amount"
     from jsonb_to_recordset(?::text::jsonb) as b("index" int, "account" text, "service" text, "category" text, "currency" text, "first" date, "last" date)
     join "billing"."cost_month" c on c."organization_id" = ? and c."account_id" = b."account" and c."service_id" = b."service"
       and c."currency" = b."currency" and c."month" between b."first" and b."last" and (b."category" is null or c."category" = b."category")
     group by 1, 2`,
    [JSON.stringify(wanted), budgets[0]?.organizationId ?? ''],
  );
  return spans.map((span, index) =>
    spendingIn(
      span,
      rows.filter((row) => row.index === index),
    ),
  );
}

function spendingIn(span: BudgetSpan, rows: readonly CostRow[]): Spending {
  const costOf = (month: string): Decimal => new Decimal(rows.find((row) => row.month === month)?.amount ?? 0);
  const lastMonth = costOf(addMonths(span.month, -1));
  const spent = sum(span.months.filter((month) => month <= span.month).map(costOf));
  const expected = span.months.map((month) => (month < span.month ? costOf(month) : Decimal.max(costOf(month), lastMonth)));
  return { span, spent, forecast: sum(expected) };
}
