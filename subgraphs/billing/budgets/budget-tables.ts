/** The SQL with which a migration creates budgets and their alerts. */
export const BUDGET_TABLES: readonly string[] = [
  `create table "billing"."budget" (
     "id" text primary key,
     "organization_id" text not null,
     "name" text not null,
     "amount" numeric(18,4) not null,
     "currency" text not null,
     "period" text not null,
     "account_id" text null,
     "service_id" text null,
     "category" text null,
     "timezone" text not null,
     "thresholds" jsonb not null,
     "notify" jsonb not null,
     "check_due_at" timestamptz(3) not null,
     "revision" int not null default 1,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null,
     constraint "budget_period_check" check ("period" in ('monthly', 'quarterly', 'annual')),
     constraint "budget_category_check" check ("category" in ('connectivity', 'voice', 'cloud', 'security', 'ai', 'other')),
     constraint "budget_amount_check" check ("amount" > 0)
   )`,
  `create index "budget_organization_id_created_at_id_index" on "billing"."budget" ("organization_id", "created_at", "id")`,
  `create index "budget_check_due_at_index" on "billing"."budget" ("check_due_at")`,
  `create table "billing"."budget_alert" (
     "organization_id" text not null,
     "budget_id" text not null,
     "period_start" timestamptz(3) not null,
     "threshold" int not null,
     "spent" numeric(18,4) not null,
     "created_at" timestamptz(3) not null,
     primary key ("organization_id", "budget_id", "period_start", "threshold")
   )`,
];

/**
 * A CTE that marks the budgets whose costs have changed, so that they are checked. It is a part of the statement that compacts the costs.
 * It locks the budgets in the order of their ids, so that two processes do not wait for each other. It also marks budgets that are already
 * due, because a running check may not have read the change.
 */
export const MARK_BUDGETS = `marked as (update "billing"."budget" set "check_due_at" = least("check_due_at", $1)
  where "id" in (select b."id" from "billing"."budget" b where b."organization_id" in (select "organization_id" from taken where not "folded")
    and exists (select from taken t where not t."folded" and t."organization_id" = b."organization_id" and t."currency" = b."currency"
      and t."service_id" = coalesce(b."service_id", '') and (b."account_id" is null or t."account_id" = b."account_id"))
    order by b."id" for update))`;
