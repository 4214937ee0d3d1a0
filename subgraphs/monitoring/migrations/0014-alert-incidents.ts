import { migration } from '../../../kernel/migrations/migration.ts';

/** Alerts that open incidents, and the alerts of an incident. An alert that still fires keeps its incident open. */
export const alertIncidents = migration('0014-alert-incidents', [
  `alter table "monitoring"."alert" add column "open_incident" boolean not null default false`,
  `alter table "monitoring"."incident" drop constraint "incident_source_check"`,
  `alter table "monitoring"."incident" add constraint "incident_source_check" check ("source" in ('manual', 'health', 'alert'))`,
  `create table "monitoring"."incident_alert" (
     "id" text primary key,
     "organization_id" text not null,
     "incident_id" text not null references "monitoring"."incident" ("id") on delete cascade,
     "alert_id" text not null,
     "account_id" text null,
     "instance_id" text not null,
     "service_id" text null,
     "labels" jsonb not null,
     "began_at" timestamptz(3) not null,
     "ended_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     constraint "incident_alert_unique" unique ("incident_id", "instance_id")
   )`,
  `create index "incident_alert_incident_index" on "monitoring"."incident_alert" ("organization_id", "incident_id", "created_at", "id")`,
  `create index "incident_alert_instance_index" on "monitoring"."incident_alert" ("organization_id", "instance_id")`,
]);
