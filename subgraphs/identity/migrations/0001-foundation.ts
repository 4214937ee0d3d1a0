import { outboxTables } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

export const foundation = migration('0001-foundation', [
  ...outboxTables('identity'),
  `create table "identity"."organization" (
     "id" text primary key,
     "name" text not null,
     "plan" text not null,
     "created_at" timestamptz(3) not null
   )`,
  `alter table "identity"."organization" add constraint "organization_plan_check" check ("plan" in ('developer', 'business', 'enterprise', 'custom'))`,
  `create table "identity"."account" (
     "id" text primary key,
     "organization_id" text not null,
     "customer_id" text not null,
     "name" text not null,
     "email" text not null,
     "phone" text null,
     "status" text not null default 'active',
     "billing_contact" jsonb null,
     "technical_contact" jsonb null,
     "billing_address" jsonb null,
     "timezone" text not null default 'UTC',
     "tier" text null,
     "metadata" jsonb not null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `alter table "identity"."account" add constraint "account_customer_id_unique" unique ("customer_id")`,
  `create index "account_organization_id_created_at_id_index" on "identity"."account" ("organization_id", "created_at", "id")`,
  `alter table "identity"."account" add constraint "account_status_check" check ("status" in ('active', 'suspended', 'closed'))`,
  `create table "identity"."user" (
     "id" text primary key,
     "organization_id" text not null,
     "email" text not null,
     "name" text not null,
     "role" text not null,
     "status" text not null default 'active',
     "password_hash" text not null,
     "last_login" timestamptz(3) null,
     "created_at" timestamptz(3) not null
   )`,
  `alter table "identity"."user" add constraint "user_email_unique" unique ("email")`,
  `create index "user_organization_id_created_at_id_index" on "identity"."user" ("organization_id", "created_at", "id")`,
  `alter table "identity"."user" add constraint "user_role_check" check ("role" in ('owner', 'admin', 'member', 'billing', 'support', 'read_only'))`,
  `alter table "identity"."user" add constraint "user_status_check" check ("status" in ('active', 'suspended'))`,
  `create table "identity"."api_key" (
     "id" text primary key,
     "organization_id" text not null,
     "hash" text not null,
     "prefix" text not null,
     "last4" text not null,
     "name" text not null,
     "description" text null,
     "permissions" jsonb not null,
     "rate_limit" jsonb null,
     "ip_whitelist" jsonb not null,
     "created_at" timestamptz(3) not null,
     "expires_at" timestamptz(3) null,
     "last_used" timestamptz(3) null,
     "usage_count" bigint not null default '0'
   )`,
  `alter table "identity"."api_key" add constraint "api_key_hash_unique" unique ("hash")`,
  `create index "api_key_organization_id_created_at_id_index" on "identity"."api_key" ("organization_id", "created_at", "id")`,
]);
