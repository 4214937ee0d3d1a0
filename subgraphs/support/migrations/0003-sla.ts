import { migration } from '../../../kernel/migrations/migration.ts';

export const sla = migration('0003-sla', [
  `create table "support"."sla_policy" (
     "id" text primary key,
     "organization_id" text not null,
     "name" text not null,
     "timezone" text not null default 'UTC',
     "business_hours" jsonb null,
     "holidays" jsonb not null,
     "targets" jsonb not null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `alter table "support"."sla_policy" add constraint "sla_policy_organization_id_name_unique" unique ("organization_id", "name")`,
  `create table "support"."category_override" (
     "id" text primary key,
     "organization_id" text not null,
     "category" text not null,
     "name" text null,
     "description" text null,
     "sla_policy_id" text null,
     "subcategories" jsonb null,
     "updated_at" timestamptz(3) not null
   )`,
  `alter table "support"."category_override" add constraint "category_override_organization_id_category_unique" unique ("organization_id", "category")`,
  `create table "support"."sla_milestone" (
     "id" text primary key,
     "organization_id" text not null,
     "ticket_id" text not null,
     "clock" text not null,
     "mark" text not null,
     "target_minutes" int not null,
     "due_at" timestamptz(3) not null,
     "created_at" timestamptz(3) not null
   )`,
  `alter table "support"."sla_milestone" add constraint "sla_milestone_ticket_id_clock_mark_target_minutes_unique" unique ("ticket_id", "clock", "mark", "target_minutes")`,
  `alter table "support"."sla_milestone" add constraint "sla_milestone_clock_check" check ("clock" in ('response_time', 'resolution_time'))`,
  `alter table "support"."sla_milestone" add constraint "sla_milestone_mark_check" check ("mark" in ('at_risk', 'breached'))`,
  `create table "support"."escalation" (
     "id" text primary key,
     "organization_id" text not null,
     "ticket_id" text not null,
     "level" int not null,
     "reason" text not null,
     "comments" text null,
     "notify" jsonb not null,
     "metadata" jsonb not null,
     "actor_kind" text not null,
     "actor_id" text not null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "escalation_organization_id_ticket_id_created_at_index" on "support"."escalation" ("organization_id", "ticket_id", "created_at")`,
]);
