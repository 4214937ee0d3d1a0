import { migration } from '../../../kernel/migrations/migration.ts';

export const routing = migration('0004-routing', [
  `create table "support"."notification" (
     "id" text primary key,
     "organization_id" text not null,
     "ticket_id" text null,
     "type" text not null,
     "template" text null,
     "actor_kind" text not null,
     "actor_id" text not null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "notification_ticket_id_created_at_id_index" on "support"."notification" ("ticket_id", "created_at", "id")`,
  `alter table "support"."notification" add constraint "notification_type_check" check ("type" in ('email', 'sms'))`,
  `create table "support"."notification_content" (
     "id" text primary key,
     "organization_id" text not null,
     "document" jsonb null,
     "message" text null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "notification_content_created_at_index" on "support"."notification_content" ("created_at")`,
  `create table "support"."notification_recipient" (
     "id" text primary key,
     "organization_id" text not null,
     "notification_id" text not null,
     "ticket_id" text null,
     "type" text not null,
     "address" text not null,
     "name" text null,
     "role" text null,
     "subject" text null,
     "status" text not null default 'queued',
     "simulated" boolean not null default false,
     "attempts" int not null default 0,
     "last_error" text null,
     "sent_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "notification_recipient_notification_id_index" on "support"."notification_recipient" ("notification_id")`,
  `create index "notification_recipient_organization_id_created_at_id_index" on "support"."notification_recipient" ("organization_id", "created_at", "id")`,
  `alter table "support"."notification_recipient" add constraint "notification_recipient_type_check" check ("type" in ('email', 'sms'))`,
  `alter table "support"."notification_recipient" add constraint "notification_recipient_status_check" check ("status" in ('queued', 'sent', 'failed'))`,
  `create table "support"."routing_rule" (
     "id" text primary key,
     "organization_id" text not null,
     "rule_name" text not null,
     "position" int not null,
     "conditions" jsonb not null,
     "actions" jsonb not null,
     "active" boolean not null default true,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "routing_rule_organization_id_position_index" on "support"."routing_rule" ("organization_id", "position")`,
  `create table "support"."ticket_automation" (
     "id" text primary key,
     "organization_id" text not null,
     "ticket_id" text not null,
     "rule_id" text not null,
     "kind" text not null,
     "interval" text not null,
     "due_at" timestamptz(3) null
   )`,
  `create index "ticket_automation_ticket_id_index" on "support"."ticket_automation" ("ticket_id")`,
  `create index "ticket_automation_rule_id_index" on "support"."ticket_automation" ("rule_id")`,
  `create index "ticket_automation_due_index" on "support"."ticket_automation" ("due_at") where due_at is not null`,
  `alter table "support"."ticket_automation" add constraint "ticket_automation_kind_check" check ("kind" in ('escalation', 'update'))`,
]);
