import { migration } from '../../../kernel/migrations/migration.ts';
import { REVENUE_TABLES } from '../analytics/revenue-tables.ts';
import { BUDGET_TABLES } from '../budgets/budget-tables.ts';
import { COST_TABLES } from '../costs/cost-tables.ts';

/**
 * Adds budgets, and the sums from which costs and revenue are read. Background tasks add the existing records to the sums (sums/sums.ts).
 */
export const costsAndBudgets = migration('0014-costs-and-budgets', [...COST_TABLES, ...REVENUE_TABLES, ...BUDGET_TABLES]);
