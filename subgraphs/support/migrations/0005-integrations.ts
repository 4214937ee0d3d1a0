import { migration } from '../../../kernel/migrations/migration.ts';

/** Columns that all integrations have in common. */
const LIFE = `
     "active" boolean not null default true,
     "disabled_at" timestamptz(3) null,
     "disabled_reason" text null,
     "failing_since" timestamptz(3) null,
     "last_error" text null,
     "last_success_at" timestamptz(3) null,
     "failures" int not null default 0,
     "retry_at" timestamptz(3) null,
     "lease_until" timestamptz(3) null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null`;

export const integrations = migration('0005-integrations', [
  `create table "support"."slack_integration" (
     "id" text primary key,
     "organization_id" text not null,${LIFE},
     "sealed_webhook_url" text not null,
     "target_digest" text not null,
     "webhook_url_hint" text not null,
     "channel" text not null,
     "events" jsonb not null,
     "filters" jsonb null,
     "message_format" jsonb not null
   )`,
  `create index "slack_integration_organization_id_created_at_id_index" on "support"."slack_integration" ("organization_id", "created_at", "id")`,
  `alter table "support"."slack_integration" add constraint "slack_integration_organization_id_target_digest_unique" unique ("organization_id", "target_digest")`,
  `create table "support"."jira_integration" (
     "id" text primary key,
     "organization_id" text not null,${LIFE},
     "jira_url" text not null,
     "username" text not null,
     "sealed_api_token" text not null,
     "api_token_hint" text not null,
     "project_key" text not null,
     "sync_settings" jsonb not null,
     "sealed_inbound_secret" text not null
   )`,
  `create index "jira_integration_organization_id_created_at_id_index" on "support"."jira_integration" ("organization_id", "created_at", "id")`,
  `alter table "support"."jira_integration" add constraint "jira_integration_organization_id_jira_url_project_key_unique" unique ("organization_id", "jira_url", "project_key")`,
  `create table "support"."integration_delivery" (
     "id" text primary key,
     "organization_id" text not null,
     "integration_id" text not null,
     "event_id" text not null,
     "event_sequence" bigint not null,
     "event" text not null,
     "payload" text null,
     "status" text not null default 'pending',
     "attempts" int not null default 0,
     "uncertain" boolean not null default false,
     "error" text null,
     "created_at" timestamptz(3) not null,
     "settled_at" timestamptz(3) null
   )`,
  `create index "integration_delivery_integration_id_created_at_id_index" on "support"."integration_delivery" ("integration_id", "created_at", "id")`,
  `create index "integration_delivery_pending_index" on "support"."integration_delivery" ("integration_id", "event_sequence") where status = 'pending'`,
  `alter table "support"."integration_delivery" add constraint "integration_delivery_integration_id_event_id_unique" unique ("integration_id", "event_id")`,
  `alter table "support"."integration_delivery" add constraint "integration_delivery_status_check" check ("status" in ('pending', 'delivered', 'skipped', 'refused', 'expired'))`,
  `create table "support"."jira_issue" (
     "id" text primary key,
     "organization_id" text not null,
     "integration_id" text not null,
     "ticket_id" text not null,
     "issue_id" text not null,
     "key" text not null,
     "url" text not null,
     "status" text null,
     "priority_omitted" boolean not null default false,
     "deleted_at" timestamptz(3) null,
     "created_at" timestamptz(3) not null
   )`,
  `create index "jira_issue_ticket_id_created_at_id_index" on "support"."jira_issue" ("ticket_id", "created_at", "id")`,
  `alter table "support"."jira_issue" add constraint "jira_issue_integration_id_ticket_id_unique" unique ("integration_id", "ticket_id")`,
  `alter table "support"."jira_issue" add constraint "jira_issue_integration_id_issue_id_unique" unique ("integration_id", "issue_id")`,
  `create table "support"."jira_comment" (
     "id" text primary key,
     "organization_id" text not null,
     "integration_id" text not null,
     "comment_id" text not null,
     "jira_comment_id" text not null,
     "origin" text not null,
     "digest" text null,
     "created_at" timestamptz(3) not null
   )`,
  `alter table "support"."jira_comment" add constraint "jira_comment_integration_id_comment_id_unique" unique ("integration_id", "comment_id")`,
  `alter table "support"."jira_comment" add constraint "jira_comment_integration_id_jira_comment_id_unique" unique ("integration_id", "jira_comment_id")`,
  `alter table "support"."jira_comment" add constraint "jira_comment_origin_check" check ("origin" in ('ticket', 'jira'))`,
]);
