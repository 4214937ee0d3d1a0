import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { usageThreshold } from '../usage/usage.events.ts';
import { Budget } from './budget.entity.ts';
import { type Spending, spendingsOf } from './budget.store.ts';
import type { BudgetMails } from './budget-mail.job.ts';

const DUE = { name: 'billing.budgets', table: 'billing.budget', column: 'check_due_at', postponeMs: 60_000 } as const;

/** Compares the costs of budgets with their amounts: when costs have changed, and at the start of each period. */
export const budgetSweeper = (ports: Ports, mails: BudgetMails | undefined): Sweeper =>
  dueSweeper({ ...ports, waits: ports.isClosed }, DUE, async (tx, id, now) => {
    const budget = await tx.findOneOrFail(Budget, { id });
    const [spending] = await spendingsOf((text, values) => tx.execute(text, [...values]), [budget], now);
    if (!spending) return;
    const reached = await recordAlerts(tx, budget, spending, now);
    for (const threshold of reached) await record(tx, alertEvent(budget, spending, threshold, now));
    // several thresholds that are reached at once cause one mail
    const highest = reached.at(-1);
    if (highest !== undefined) await mail(tx, mails, budget, spending, highest);
    // alerts of earlier periods are shown nowhere
    const past = `delete from "billing"."budget_alert" where "organization_id" = ? and "budget_id" = ? and "period_start" < ?::timestamptz`;
    await tx.execute(past, [budget.organizationId, id, spending.span.start.toISOString()]);
    // not with the ORM, because a check is no change of the record for callers
    await tx.execute(`update "billing"."budget" set "check_due_at" = ?::timestamptz where "id" = ?`, [spending.span.end.toISOString(), id]);
  });

const alertEvent = (
  { id, organizationId, accountId, serviceId, ...budget }: Budget,
  { span, spent }: Spending,
  threshold: number,
  at: Date,
) =>
  usageThreshold(
    { organizationId, accountId, subject: { type: 'Budget', id }, at },
    {
      ...{ budget_id: id, account_id: accountId, service_id: serviceId, metric: 'cost', threshold_percentage: threshold },
      ...{ period_start: span.start.toISOString(), period_end: span.end.toISOString() },
      ...{ quantity: spent.toNumber(), limit: budget.amount.toNumber(), currency: budget.currency },
    },
  );

/** Records the thresholds that the costs reached for the first time in this period, and returns them in ascending order. */
async function recordAlerts(tx: EntityManager, budget: Budget, { span, spent }: Spending, now: Date): Promise<number[]> {
  const reached: number[] = [];
  for (const threshold of budget.thresholds) {
    if (spent.times(100).lessThan(budget.amount.times(threshold))) continue;
    const rows = await tx.execute<object[]>(
      `insert into "billing"."budget_alert" ("organization_id", "budget_id", "period_start", "threshold", "spent", "created_at")
       values (?, ?, ?::timestamptz, ?, ?::numeric, ?::timestamptz) on conflict do nothing returning "threshold"`,
      [budget.organizationId, budget.id, span.start.toISOString(), threshold, spent.toFixed(4), now.toISOString()],
    );
    if (rows.length > 0) reached.push(threshold);
  }
  return reached;
}

async function mail(tx: EntityManager, mails: BudgetMails | undefined, budget: Budget, { span, spent }: Spending, threshold: number) {
  const { organizationId, id: budgetId, notify } = budget;
  const [month = ''] = span.months;
  for (const to of notify) await mails?.enqueue(tx, { organizationId, budgetId, to, threshold, spent: spent.toFixed(), month });
}
