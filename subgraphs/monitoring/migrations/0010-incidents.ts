import { migration } from '../../../kernel/migrations/migration.ts';
import { counterTable } from '../../../kernel/records/numbers.ts';

/**
 * Adds incidents with their services, timelines and tickets. An incident has no account of its own; it belongs to the accounts of its
 * services. A unique index ensures that each cause has at most one open incident.
 */
export const incidentTables = migration('0010-incidents', [
  counterTable('monitoring', 'incident_counter'),
  `create table "monitoring"."incident" (
     "id" text primary key,
     "organization_id" text not null,
     "number" text not null,
     "title" text not null,
     "status" text not null default 'investigating',
     "severity" text not null,
     "is_severity_set" boolean not null default false,
     "source" text not null,
     "cause" text null,
     "provider" text null,
     "area" text null,
     "resolves_itself" boolean not null default false,
     "started_at" timestamptz(3) not null,
     "identified_at" timestamptz(3) null,
     "resolved_at" timestamptz(3) null,
     "resolve_due_at" timestamptz(3) null,
     "revision" int not null default 1,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null,
     constraint "incident_number_unique" unique ("organization_id", "number"),
     constraint "incident_status_check" check ("status" in ('investigating', 'identified', 'monitoring', 'resolved')),
     constraint "incident_severity_check" check ("severity" in ('minor', 'major', 'critical')),
     constraint "incident_source_check" check ("source" in ('manual', 'health'))
   )`,
  `create index "incident_created_index" on "monitoring"."incident" ("organization_id", "created_at", "id")`,
  `create index "incident_started_index" on "monitoring"."incident" ("organization_id", "started_at", "id")`,
  `create unique index "incident_cause_unique" on "monitoring"."incident" ("organization_id", "cause") where "resolved_at" is null and "cause" is not null`,
  `create index "incident_open_index" on "monitoring"."incident" ("organization_id", "provider", "area", "started_at") where "resolved_at" is null`,
  `create index "incident_resolve_due_index" on "monitoring"."incident" ("resolve_due_at") where "resolve_due_at" is not null`,
  `create index "incident_resolved_index" on "monitoring"."incident" ("resolved_at") where "resolved_at" is not null`,
  `create table "monitoring"."incident_service" (
     "id" text primary key,
     "organization_id" text not null,
     "incident_id" text not null references "monitoring"."incident" ("id") on delete cascade,
     "service_id" text not null,
     "account_id" text not null,
     "impact" text null,
     "began_at" timestamptz(3) null,
     "ended_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     constraint "incident_service_unique" unique ("incident_id", "service_id"),
     constraint "incident_service_impact_check" check ("impact" in ('degraded', 'down'))
   )`,
  `create index "incident_service_service_index" on "monitoring"."incident_service" ("organization_id", "service_id", "incident_id")`,
  `create index "incident_service_account_index" on "monitoring"."incident_service" ("incident_id", "account_id")`,
  `create table "monitoring"."incident_update" (
     "id" text primary key,
     "organization_id" text not null,
     "incident_id" text not null references "monitoring"."incident" ("id") on delete cascade,
     "status" text not null,
     "message" text null,
     "changed_by" text null,
     "created_at" timestamptz(3) not null,
     constraint "incident_update_status_check" check ("status" in ('investigating', 'identified', 'monitoring', 'resolved'))
   )`,
  `create index "incident_update_incident_index" on "monitoring"."incident_update" ("organization_id", "incident_id", "created_at", "id")`,
  `create table "monitoring"."incident_ticket" (
     "id" text primary key,
     "organization_id" text not null,
     "incident_id" text not null references "monitoring"."incident" ("id") on delete cascade,
     "ticket_id" text not null,
     "created_at" timestamptz(3) not null,
     constraint "incident_ticket_unique" unique ("incident_id", "ticket_id")
   )`,
  `create index "incident_ticket_ticket_index" on "monitoring"."incident_ticket" ("organization_id", "ticket_id")`,
]);
