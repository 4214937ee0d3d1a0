import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the table of service changes, and the time when the provider was last asked to build a service. The time is null
 * if it is unknown, because the previous release does not set it.
 */
export const serviceChanges = migration('0007-service-changes', [
  `alter table "services"."service" add column "asked_at" timestamptz(3) null`,
  `create table "services"."service_change" (
     "id" text primary key,
     "organization_id" text not null,
     "service_id" text not null,
     "kind" text not null,
     "status" text not null default 'acknowledged',
     "status_reason" text null,
     "effective_at" timestamptz(3) not null,
     "due_at" timestamptz(3) null,
     "reason" text null,
     "data_migration" jsonb null,
     "requested_by" text not null,
     "failures" int not null default 0,
     "history" jsonb not null,
     "completed_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "service_change_service_index" on "services"."service_change" ("organization_id", "service_id", "created_at", "id")`,
  `create index "service_change_due_index" on "services"."service_change" ("due_at") where "due_at" is not null`,
  `create unique index "service_change_open_decommission_index" on "services"."service_change" ("service_id") where "kind" = 'decommission' and "status" in ('acknowledged', 'in_progress')`,
  `alter table "services"."service_change" add constraint "service_change_kind_check" check ("kind" in ('decommission'))`,
  `alter table "services"."service_change" add constraint "service_change_status_check" check ("status" in ('acknowledged', 'in_progress', 'completed', 'failed', 'cancelled'))`,
]);
