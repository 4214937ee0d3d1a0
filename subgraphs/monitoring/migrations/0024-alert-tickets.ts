import { migration } from '../../../kernel/migrations/migration.ts';

/** Alerts that open tickets, and the tickets that they have opened. An incident, or an alert that fires, has at most one of them. */
export const alertTickets = migration('0024-alert-tickets', [
  `alter table "monitoring"."alert" add column "open_ticket" text null,
     add constraint "alert_open_ticket_check" check ("open_ticket" in ('low', 'medium', 'high', 'critical'))`,
  `create table "monitoring"."alert_ticket" (
     "id" text primary key,
     "organization_id" text not null,
     "alert_id" text not null,
     "account_id" text null,
     "incident_id" text null references "monitoring"."incident" ("id") on delete cascade,
     "ticket_id" text null,
     "end_due_at" timestamptz(3) null,
     "ended_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null
   )`,
  `create unique index "alert_ticket_alert_unique" on "monitoring"."alert_ticket" ("organization_id", "alert_id")
     where "incident_id" is null and "ended_at" is null`,
  `create unique index "alert_ticket_incident_unique" on "monitoring"."alert_ticket" ("incident_id") where "incident_id" is not null`,
  `create index "alert_ticket_alert_index" on "monitoring"."alert_ticket" ("organization_id", "alert_id", "created_at", "id")`,
  `create index "alert_ticket_ticket_index" on "monitoring"."alert_ticket" ("organization_id", "ticket_id")`,
  `create index "alert_ticket_end_due_index" on "monitoring"."alert_ticket" ("end_due_at") where "end_due_at" is not null`,
  `create index "alert_ticket_ended_index" on "monitoring"."alert_ticket" ("ended_at") where "ended_at" is not null`,
]);
