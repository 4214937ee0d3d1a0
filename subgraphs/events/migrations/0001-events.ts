import { migration } from '../../../kernel/migration.ts';
import { outboxTables } from '../../../kernel/outbox.ts';

export const eventTables = migration('0001-events', [
  ...outboxTables('events'),
  `create table "events"."consumer" (
     "name" text not null,
     "last_sequence" bigint not null,
     primary key ("name")
   )`,
  `create table "events"."delivery" (
     "id" text not null,
     "organization_id" text not null,
     "webhook_id" text not null,
     "event_id" text not null,
     "event" text not null,
     "sequence" bigint null,
     "url" text not null,
     "attempt" int not null default 0,
     "status" text not null default 'pending',
     "response_status" int null,
     "response_body" text null,
     "error" text null,
     "duration_ms" int null,
     "attempted_at" timestamptz(3) null,
     "next_attempt_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     primary key ("id")
   )`,
  `create index "delivery_failed_index" on "events"."delivery" ("webhook_id", "next_attempt_at") where status = 'failed'`,
  `create index "delivery_pending_index" on "events"."delivery" ("webhook_id", "sequence") where status = 'pending'`,
  `create index "delivery_webhook_id_created_at_id_index" on "events"."delivery" ("webhook_id", "created_at", "id")`,
  `create table "events"."event_log" (
     "id" text not null,
     "sequence" bigint generated always as identity not null,
     "organization_id" text not null,
     "event" text not null,
     "family" text not null,
     "subject_type" text not null,
     "subject_id" text not null,
     "occurred_at" timestamptz(3) not null,
     "payload" text not null,
     primary key ("id")
   )`,
  `alter table "events"."event_log" add constraint "event_log_sequence_unique" unique ("sequence")`,
  `create index "event_log_organization_id_subject_id_sequence_index" on "events"."event_log" ("organization_id", "subject_id", "sequence")`,
  `create index "event_log_organization_id_sequence_index" on "events"."event_log" ("organization_id", "sequence")`,
  `create table "events"."webhook" (
     "id" text not null,
     "organization_id" text not null,
     "url" text not null,
     "events" jsonb not null,
     "sealed_secret" text not null,
     "active" boolean not null default true,
     "family" text null,
     "filters" jsonb null,
     "description" text null,
     "disabled_at" timestamptz(3) null,
     "disabled_reason" text null,
     "lane_until" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null,
     primary key ("id")
   )`,
  `create index "webhook_organization_id_created_at_id_index" on "events"."webhook" ("organization_id", "created_at", "id")`,
  `alter table "events"."delivery" add constraint "delivery_status_check" check ("status" in ('pending', 'delivered', 'failed', 'exhausted'))`,
  `insert into "events"."consumer" ("name", "last_sequence") values ('webhooks', 0), ('reactions', 0)`,
]);
