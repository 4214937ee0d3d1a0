import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds recorded usage, its daily sums, the billed periods, and the prices of usage. Only the columns `quantity` and `events` of a daily sum
 * change often. No index contains them, so that PostgreSQL can update the row in place.
 */
export const usage = migration('0011-usage', [
  `create table "billing"."usage_key" (
     "organization_id" text not null,
     "source" text not null,
     "id" text not null,
     "occurred_at" timestamptz(3) not null,
     primary key ("organization_id", "source", "id")
   )`,
  `create index "usage_key_retention_index" on "billing"."usage_key" ("occurred_at")`,
  `create table "billing"."usage_event" (
     "organization_id" text not null,
     "source" text not null,
     "id" text not null,
     "account_id" text not null,
     "service_id" text not null,
     "metric" text not null,
     "quantity" numeric(24,10) not null,
     "occurred_at" timestamptz(3) not null,
     "recorded_at" timestamptz(3) not null,
     primary key ("organization_id", "service_id", "recorded_at", "source", "id")
   ) partition by range ("recorded_at")`,
  `create table "billing"."usage_day" (
     "organization_id" text not null,
     "service_id" text not null,
     "metric" text not null,
     "day" date not null,
     "account_id" text not null,
     "category" text null,
     "type" text not null,
     "service_type" text not null,
     "currency" text not null,
     "quantity" numeric(30,10) not null,
     "events" bigint not null,
     "billed_quantity" numeric(30,10) not null default 0,
     primary key ("organization_id", "service_id", "metric", "day"),
     constraint "usage_day_check" check ("quantity" >= 0 and "events" > 0 and "billed_quantity" >= 0 and "billed_quantity" <= "quantity")
   ) with (fillfactor = 80)`,
  `create index "usage_day_day_index" on "billing"."usage_day" ("organization_id", "day")`,
  `create index "usage_day_account_index" on "billing"."usage_day" ("organization_id", "account_id", "day")`,
  `create table "billing"."usage_period" (
     "organization_id" text not null,
     "service_id" text not null,
     "first_day" date not null,
     "last_day" date not null,
     "currency" text not null,
     "billed" jsonb not null,
     primary key ("organization_id", "service_id", "first_day"),
     constraint "usage_period_check" check ("last_day" >= "first_day")
   )`,
  `create table "billing"."usage_price" (
     "id" text primary key,
     "organization_id" text not null,
     "scope" text not null,
     "metric" text not null,
     "currency" text not null,
     "model" text not null,
     "included" numeric(20,10) not null default 0,
     "unit_price" numeric(20,10) null,
     "tiers" jsonb null,
     "block_size" numeric(20,10) null,
     "block_price" numeric(20,10) null,
     "valid_from" timestamptz(3) not null,
     "valid_until" timestamptz(3) null,
     "created_by" text not null,
     "created_at" timestamptz(3) not null,
     "ended_by" text null,
     constraint "usage_price_metric_check" check ("metric" in ('voice_minutes', 'data_gb', 'cloud_storage_gb', 'api_calls')),
     constraint "usage_price_model_check" check ("model" in ('per_unit', 'graduated', 'volume', 'blocks')),
     constraint "usage_price_amounts_check" check ("included" >= 0 and ("unit_price" is null or "unit_price" >= 0)
       and ("block_size" is null or "block_size" > 0) and ("block_price" is null or "block_price" >= 0)),
     constraint "usage_price_validity_check" check ("valid_until" is null or "valid_until" >= "valid_from")
   )`,
  `create unique index "usage_price_open_index" on "billing"."usage_price" ("organization_id", "scope", "metric", "currency") where "valid_until" is null`,
  `create index "usage_price_organization_id_created_at_id_index" on "billing"."usage_price" ("organization_id", "created_at", "id")`,
  `create index "usage_price_organization_id_scope_index" on "billing"."usage_price" ("organization_id", "scope")`,
]);
