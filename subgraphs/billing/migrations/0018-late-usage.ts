import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the time at which usage that arrives after the end of its service is billed. The adoption of services runs again, because it now
 * also records the recurring revenue of existing services.
 */
export const lateUsage = migration('0018-late-usage', [
  `alter table "billing"."subscription_item" add column "late_usage_due_at" timestamptz(3) null`,
  `alter table "billing"."subscription_item" add constraint "subscription_item_late_usage_check"
     check ("late_usage_due_at" is null or "state" = 'ended')`,
  `insert into "billing"."backfill" ("name") select 'service-adoption' where exists (select from "billing"."invoice" where "source" is not null)
     on conflict ("name") do update set "position" = null`,
]);
