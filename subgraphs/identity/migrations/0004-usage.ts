import { migration } from '../../../kernel/migrations/migration.ts';

export const usage = migration('0004-usage', [
  `alter table "identity"."organization" add column "hard_violations" jsonb not null`,
  `alter table "identity"."organization" add column "under_review_since" timestamptz(3) null`,

  `create table "identity"."usage_hour_counter" (
     "organization_id" text not null,
     "hour" timestamptz not null,
     "requests" bigint not null,
     "weight" bigint not null,
     primary key ("organization_id", "hour")
   )`,
  `create index "usage_hour_counter_hour_index" on "identity"."usage_hour_counter" ("hour")`,
  `create table "identity"."usage_month_counter" (
     "organization_id" text not null,
     "month" date not null,
     "requests" bigint not null,
     "reported" bigint not null default 0,
     "reported_at" timestamptz(3) null,
     primary key ("organization_id", "month")
   )`,
  `create index "usage_month_counter_month_index" on "identity"."usage_month_counter" ("month")`,
  `create table "identity"."usage_writer_counter" ("id" text primary key, "sequence" bigint not null, "written_at" timestamptz(3) not null)`,
]);
