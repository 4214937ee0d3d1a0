import { migration } from '../../../kernel/migrations/migration.ts';

const STATUSES =
  "'pending', 'provisioning', 'operational', 'degraded', 'down', 'maintenance', 'decommissioning', 'decommissioned', 'failed'";

/** Adds planned maintenance of services. */
export const maintenanceWindows = migration('0012-maintenance-windows', [
  `create table "services"."maintenance_window" (
     "id" text primary key,
     "organization_id" text not null,
     "service_id" text not null,
     "service_change_id" text null,
     "status" text not null default 'scheduled',
     "starts_at" timestamptz(3) not null,
     "ends_at" timestamptz(3) not null,
     "description" text not null,
     "impact" text not null,
     "status_before" text null,
     "due_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "maintenance_window_service_index" on "services"."maintenance_window" ("organization_id", "service_id", "created_at", "id")`,
  `create index "maintenance_window_due_index" on "services"."maintenance_window" ("due_at") where "due_at" is not null`,
  `alter table "services"."maintenance_window" add constraint "maintenance_window_status_check" check ("status" in ('scheduled', 'in_progress', 'completed', 'cancelled'))`,
  `alter table "services"."maintenance_window" add constraint "maintenance_window_impact_check" check ("impact" in ('none', 'degraded', 'down'))`,
  `alter table "services"."maintenance_window" add constraint "maintenance_window_status_before_check" check ("status_before" in (${STATUSES}))`,
]);
