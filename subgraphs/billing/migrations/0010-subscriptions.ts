import { backfill } from '../../../kernel/database/backfill.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds subscriptions, their items, and the charges of the items. A live service is billed by at most one active item. A backfill
 * (`service-adoption.ts`) adds subscriptions for services that were provisioned before this migration.
 */
export const subscriptions = migration('0010-subscriptions', [
  `create table "billing"."subscription" (
     "id" text primary key,
     "organization_id" text not null,
     "account_id" text not null,
     "kind" text not null,
     "status" text not null default 'active',
     "currency" text not null,
     "payment_method_id" text null references "billing"."payment_method" ("id"),
     "start_date" timestamptz(3) not null,
     "end_date" timestamptz(3) null,
     "bill_due_at" timestamptz(3) null,
     "revision" int not null default 1,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null,
     constraint "subscription_kind_check" check ("kind" in ('automatic', 'agreed')),
     constraint "subscription_status_check" check ("status" in ('active', 'cancelled')),
     constraint "subscription_end_check" check (("status" = 'cancelled') = ("end_date" is not null))
   )`,
  `create unique index "subscription_automatic_index" on "billing"."subscription" ("organization_id", "account_id", "currency")
     where "kind" = 'automatic' and "status" = 'active'`,
  `create index "subscription_bill_due_at_index" on "billing"."subscription" ("bill_due_at")`,
  `create index "subscription_organization_id_created_at_id_index" on "billing"."subscription" ("organization_id", "created_at", "id")`,
  `create index "subscription_organization_id_account_id_created_at_id_index" on "billing"."subscription"
     ("organization_id", "account_id", "created_at", "id")`,
  `create table "billing"."subscription_item" (
     "id" text primary key,
     "organization_id" text not null,
     "account_id" text not null,
     "subscription_id" text not null,
     "service_id" text not null,
     "name" text not null,
     "category" text not null,
     "state" text not null,
     "billing_cycle" text not null,
     "service_cycle" text not null,
     "price" numeric(18,4) not null,
     "priced_at" timestamptz(3) not null,
     "auto_renew" boolean not null,
     "anchor" text not null,
     "months" int not null default 0,
     "starts_at" timestamptz(3) not null,
     "period_start" timestamptz(3) null,
     "billed_until" timestamptz(3) not null,
     "metered_until" timestamptz(3) not null,
     "ended_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     constraint "subscription_item_state_check" check ("state" in ('planned', 'active', 'ended')),
     constraint "subscription_item_cycle_check" check ("billing_cycle" in ('monthly', 'quarterly', 'annual')
       and "service_cycle" in ('monthly', 'quarterly', 'annual')),
     constraint "subscription_item_price_check" check ("price" >= 0),
     constraint "subscription_item_subscription_id_foreign" foreign key ("subscription_id") references "billing"."subscription" ("id")
   )`,
  `create unique index "subscription_item_active_index" on "billing"."subscription_item" ("organization_id", "service_id") where "state" = 'active'`,
  `create unique index "subscription_item_planned_index" on "billing"."subscription_item" ("organization_id", "service_id") where "state" = 'planned'`,
  `create index "subscription_item_organization_id_service_id_created_at_index" on "billing"."subscription_item"
     ("organization_id", "service_id", "created_at")`,
  `create index "subscription_item_subscription_index" on "billing"."subscription_item"
     ("organization_id", "subscription_id", "created_at")`,
  `create table "billing"."subscription_charge" (
     "id" text primary key,
     "organization_id" text not null,
     "account_id" text not null,
     "subscription_id" text not null,
     "item_id" text not null,
     "kind" text not null,
     "price" numeric(18,4) not null,
     "months" int not null,
     "priced_at" timestamptz(3) not null,
     "period_start" timestamptz(3) not null,
     "period_end" timestamptz(3) not null,
     "from_at" timestamptz(3) not null,
     "to_at" timestamptz(3) not null,
     "timezone" text not null,
     "billed_at" timestamptz(3) null,
     "invoice_id" text null,
     "position" int null,
     "created_at" timestamptz(3) not null,
     constraint "subscription_charge_kind_check" check ("kind" in ('recurring', 'proration')),
     constraint "subscription_charge_price_check" check ("price" >= 0 and "months" > 0),
     constraint "subscription_charge_part_check" check ("period_start" <= "from_at" and "from_at" < "to_at" and "to_at" <= "period_end"),
     constraint "subscription_charge_line_check" check (("invoice_id" is null) = ("position" is null)
       and ("invoice_id" is null or "billed_at" is not null)),
     constraint "subscription_charge_item_id_foreign" foreign key ("item_id") references "billing"."subscription_item" ("id"),
     constraint "subscription_charge_invoice_id_foreign" foreign key ("invoice_id") references "billing"."invoice" ("id") on delete restrict
   )`,
  // two charges of an item never begin at the same time, so nothing is charged twice
  `create unique index "subscription_charge_part_index" on "billing"."subscription_charge" ("organization_id", "item_id", "from_at")`,
  `create index "subscription_charge_end_index" on "billing"."subscription_charge" ("organization_id", "item_id", "to_at")`,
  `create index "subscription_charge_pending_index" on "billing"."subscription_charge" ("organization_id", "subscription_id")
     where "billed_at" is null`,
  `create table "billing"."early_service_event" (
     "organization_id" text not null,
     "service_id" text not null,
     "event_id" text not null,
     "service" jsonb not null,
     "occurred_at" timestamptz(3) not null,
     primary key ("organization_id", "service_id", "event_id")
   )`,
  ...backfill('billing', 'service-adoption', 'exists (select from "billing"."invoice" where "source" is not null)'),
]);
