import { migration } from '../../../kernel/migrations/migration.ts';

export const saml = migration('0011-saml', [
  `create table "identity"."saml_connection" (
     "id" text primary key,
     "organization_id" text not null,
     "name" text not null,
     "email_domains" jsonb not null,
     "idp_entity_id" text null,
     "sso_url" text null,
     "certificates" jsonb not null,
     "metadata_url" text null,
     "default_role" text null,
     "role_mappings" jsonb not null,
     "allow_provisioning" boolean not null default false,
     "allow_idp_initiated" boolean not null default false,
     "active" boolean not null default true,
     "grants" jsonb not null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "saml_connection_organization_id_created_at_id_index" on "identity"."saml_connection" ("organization_id", "created_at", "id")`,
  `alter table "identity"."saml_connection" add constraint "saml_connection_default_role_check" check ("default_role" in ('owner', 'admin', 'member', 'billing', 'support', 'read_only'))`,
  `create table "identity"."saml_domain" (
     "domain" text primary key,
     "connection_id" text not null references "identity"."saml_connection" ("id") on delete cascade
   )`,
  `create index "saml_domain_connection_id_index" on "identity"."saml_domain" ("connection_id")`,
  `create table "identity"."saml_request" (
     "id" text primary key,
     "connection_id" text not null references "identity"."saml_connection" ("id") on delete cascade,
     "browser" text not null,
     "expires_at" timestamptz(3) not null
   )`,
  `create index "saml_request_connection_id_index" on "identity"."saml_request" ("connection_id")`,
  `create index "saml_request_expires_at_index" on "identity"."saml_request" ("expires_at")`,
  `create table "identity"."saml_assertion" (
     "hash" text primary key,
     "expires_at" timestamptz(3) not null
   )`,
  `create index "saml_assertion_expires_at_index" on "identity"."saml_assertion" ("expires_at")`,
  `create table "identity"."saml_code" (
     "hash" text primary key,
     "user_id" text not null,
     "expires_at" timestamptz(3) not null
   )`,
  `create index "saml_code_expires_at_index" on "identity"."saml_code" ("expires_at")`,
]);
