import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the plans that an organization has had. Each row states the plan that applies from its day on. An organization whose plan never
 * changed has no rows.
 */
export const planDays = migration('0023-plan-days', [
  `create table "identity"."organization_plan" (
     "organization_id" text not null,
     "day" date not null,
     "plan" text not null,
     primary key ("organization_id", "day")
   )`,
]);
