import { outboxTables } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

export const eventTables = migration('0001-events', [
  ...outboxTables('events'),
  `create table "events"."consumer" (
     "name" text not null,
     "last_sequence" bigint not null,
     primary key ("name")
   )`,
  `create sequence "events"."delivery_revision"`,
  `create table "events"."delivery" (
     "id" text not null,
     "organization_id" text not null,
     "webhook_id" text not null,
     "event_id" text not null,
     "event" text not null,
     "sequence" bigint null,
     "revision" bigint null,
     "url" text not null,
     "attempt" int not null default 0,
     "status" text not null default 'pending',
     "response_status" int null,
     "response_body" text null,
     "error" text null,
     "duration_ms" int null,
     "attempted_at" timestamptz(3) null,
     "next_attempt_at" timestamptz(3) null,
     "occurred_at" timestamptz(3) not null,
     "created_at" timestamptz(3) not null,
     primary key ("id")
   )`,
  `alter table "events"."delivery" add constraint "delivery_webhook_id_event_id_unique" unique ("webhook_id", "event_id")`,
  `create index "delivery_first_index" on "events"."delivery" ("webhook_id", "sequence") where status = 'pending' and attempt = 0`,
  `create index "delivery_organization_revision_index" on "events"."delivery" ("organization_id", "revision") where revision is not null`,
  `create index "delivery_retry_index" on "events"."delivery" ("webhook_id", "next_attempt_at") where status in ('pending', 'failed') and attempt > 0`,
  `create index "delivery_revision_index" on "events"."delivery" ("revision") where revision is not null`,
  `create index "delivery_webhook_id_created_at_id_index" on "events"."delivery" ("webhook_id", "created_at", "id")`,
  `create table "events"."delivery_month_counter" (
     "organization_id" text not null,
     "month" date not null,
     "count" bigint not null,
     "exceeded_at" timestamptz(3) null,
     primary key ("organization_id", "month")
   )`,
  `create table "events"."event_log" (
     "id" text not null,
     "sequence" bigserial not null,
     "organization_id" text not null,
     "event" text not null,
     "family" text not null,
     "subject_type" text not null,
     "subject_id" text not null,
     "account_id" text null,
     "occurred_at" timestamptz(3) not null,
     "payload" text not null,
     primary key ("id", "occurred_at")
   ) partition by range ("occurred_at")`,
  // makes PostgreSQL use one generic plan for the function, instead of planning each call for its parameter values.
  // With the partitions of a month, planning a call takes five times as long as reading the events
  `create function "events"."events_after"(bigint, int) returns setof "events"."event_log" language plpgsql stable
     set plan_cache_mode = force_generic_plan as
     $$ begin return query select * from "events"."event_log" where "sequence" > $1 order by "sequence" limit $2; end $$`,
  `create index "event_log_sequence_index" on "events"."event_log" ("sequence")`,
  `create index "event_log_organization_id_account_id_sequence_index" on "events"."event_log" ("organization_id", "account_id", "sequence")`,
  `create index "event_log_organization_id_subject_id_sequence_index" on "events"."event_log" ("organization_id", "subject_id", "sequence")`,
  `create index "event_log_organization_id_sequence_index" on "events"."event_log" ("organization_id", "sequence")`,
  `create table "events"."webhook" (
     "id" text not null,
     "organization_id" text not null,
     "url" text not null,
     "events" jsonb not null,
     "sealed_secret" text not null,
     "previous_sealed_secret" text null,
     "previous_secret_until" timestamptz(3) null,
     "active" boolean not null default true,
     "family" text null,
     "filters" jsonb null,
     "description" text null,
     "disabled_at" timestamptz(3) null,
     "disabled_reason" text null,
     "failing_since" timestamptz(3) null,
     "due_at" timestamptz(3) null,
     "lane_until" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null,
     primary key ("id")
   )`,
  `create index "webhook_due_index" on "events"."webhook" ("due_at") where active and due_at is not null`,
  `create index "webhook_lane_index" on "events"."webhook" ("lane_until") where lane_until is not null`,
  `create index "webhook_organization_id_created_at_id_index" on "events"."webhook" ("organization_id", "created_at", "id")`,
  `alter table "events"."delivery" add constraint "delivery_status_check" check ("status" in ('pending', 'delivered', 'failed', 'exhausted', 'skipped'))`,
  `insert into "events"."consumer" ("name", "last_sequence") values ('webhooks', 0), ('reactions', 0)`,
]);
