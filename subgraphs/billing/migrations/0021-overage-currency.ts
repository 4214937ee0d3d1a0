import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the currency of an account's API requests beyond the plan. It is set with the first such request. */
export const overageCurrency = migration('0021-overage-currency', [
  `alter table "billing"."billing_account" add column "overage_currency" text null`,
]);
