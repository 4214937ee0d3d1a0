import { migration } from '../../../kernel/migrations/migration.ts';
import { REVENUE_TABLES } from '../analytics/revenue-tables.ts';
import { BUDGET_TABLES } from '../budgets/budget-tables.ts';
import { COST_TABLES } from '../costs/cost-tables.ts';

/**
 * Adds the sums from which costs and revenue are read, and budgets. Background tasks add up what existed before
 * (sums/sums.ts).
 */
export const costsAndBudgets = migration('0014-costs-and-budgets', [...COST_TABLES, ...REVENUE_TABLES, ...BUDGET_TABLES]);
