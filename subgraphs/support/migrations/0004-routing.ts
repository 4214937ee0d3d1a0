import { migration } from '../../../kernel/migration.ts';

export const routing = migration('0004-routing', [
  `create table "support"."notification" (
     "id" text primary key,
     "organization_id" text not null,
     "ticket_id" text not null,
     "type" text not null,
     "template" text null,
     "actor_kind" text not null,
     "actor_id" text not null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "notification_ticket_id_created_at_id_index" on "support"."notification" ("ticket_id", "created_at", "id")`,
  `alter table "support"."notification" add constraint "notification_type_check" check ("type" in ('email', 'sms'))`,
  `create table "support"."notification_recipient" (
     "id" text primary key,
     "organization_id" text not null,
     "notification_id" text not null,
     "ticket_id" text not null,
     "type" text not null,
     "address" text not null,
     "name" text null,
     "role" text null,
     "subject" text null,
     "text" text not null,
     "html" text null,
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
]);
