import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds bulks, their items, and the bulk that ordered a service or a change. */
export const bulks = migration('0015-bulks', [
  `alter table "services"."service" add column "bulk_id" text null, add column "held" text null`,
  `alter table "services"."service" add constraint "service_held_check" check ("held" in ('building', 'built', 'releasing'))`,
  `alter table "services"."service_change" add column "bulk_id" text null`,
  `create table "services"."bulk" (
     "id" text primary key,
     "organization_id" text not null,
     "account_id" text null,
     "kind" text not null,
     "status" text not null default 'in_progress',
     "status_reason" text null,
     "parallel" boolean not null default true,
     "rollback_on_failure" boolean not null default false,
     "counts" jsonb not null,
     "requested_by" text not null,
     "cancelled_at" timestamptz(3) null,
     "rolling_back_at" timestamptz(3) null,
     "reported_at" timestamptz(3) null,
     "due_at" timestamptz(3) null,
     "finished_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "bulk_organization_id_created_at_id_index" on "services"."bulk" ("organization_id", "created_at", "id")`,
  `create index "bulk_organization_id_account_id_created_at_index" on "services"."bulk" ("organization_id", "account_id", "created_at")`,
  `create index "bulk_due_index" on "services"."bulk" ("due_at") where "due_at" is not null`,
  `alter table "services"."bulk" add constraint "bulk_kind_check" check ("kind" in ('provision', 'modify'))`,
  `alter table "services"."bulk" add constraint "bulk_status_check" check ("status" in ('in_progress', 'completed', 'partial', 'failed', 'cancelled', 'rolling_back', 'rolled_back'))`,
  `create table "services"."bulk_item" (
     "id" text primary key,
     "organization_id" text not null,
     "bulk_id" text not null,
     "position" int not null,
     "status" text not null default 'pending',
     "service_id" text null,
     "change_id" text null,
     "error" jsonb null,
     "reported" boolean not null default false
   )`,
  `create index "bulk_item_organization_id_bulk_id_position_index" on "services"."bulk_item" ("organization_id", "bulk_id", "position")`,
  `alter table "services"."bulk_item" add constraint "bulk_item_status_check" check ("status" in ('pending', 'in_progress', 'built', 'completed', 'failed', 'skipped', 'releasing', 'released'))`,
]);
