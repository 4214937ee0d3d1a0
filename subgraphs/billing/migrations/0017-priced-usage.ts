import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the exact amount of usage whose price is known when it is recorded. Other usage has no amount, and is priced when its period is
 * billed.
 */
export const pricedUsage = migration('0017-priced-usage', [
  `alter table "billing"."usage_event" add column "amount" numeric(30,10) null`,
  `alter table "billing"."usage_day" add column "amount" numeric(30,10) null`,
]);
