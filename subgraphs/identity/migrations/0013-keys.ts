import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Creates the same trigger as 0002-access. When a record of `table` changes, every process drops the cached credentials
 * that depend on the record.
 */
const noting = (name: string, table: string, on: string): string =>
  `create trigger "${name}" after ${on} on "identity"."${table}" for each row execute function "identity"."note_change"()`;

/** Adds key rotation with a grace period, request signing, access restrictions, and trusted issuers of tokens. */
export const keys = migration('0013-keys', [
  `alter table "identity"."api_key" add column "previous_hash" text null`,
  `alter table "identity"."api_key" add column "previous_expires_at" timestamptz(3) null`,
  `alter table "identity"."api_key" add column "signing_secret" text null`,
  `alter table "identity"."api_key" add column "previous_signing_secret" text null`,
  `alter table "identity"."api_key" add column "require_signature" boolean not null default false`,
  `alter table "identity"."api_key" add column "time_windows" jsonb not null default '[]'`,
  `alter table "identity"."api_key" add column "countries" jsonb not null default '[]'`,
  `alter table "identity"."api_key" alter column "time_windows" drop default`,
  `alter table "identity"."api_key" alter column "countries" drop default`,
  `alter table "identity"."api_key" add constraint "api_key_previous_hash_unique" unique ("previous_hash")`,
  noting(
    'api_key_restricted',
    'api_key',
    'update of "previous_hash", "previous_expires_at", "signing_secret", "require_signature", "time_windows", "countries"',
  ),

  `create table "identity"."request_signature" (
     "digest" text primary key,
     "expires_at" timestamptz(3) not null
   )`,
  `create index "request_signature_expires_at_index" on "identity"."request_signature" ("expires_at")`,

  `create table "identity"."user_restrictions" (
     "id" text primary key,
     "ip_whitelist" jsonb not null,
     "time_windows" jsonb not null,
     "countries" jsonb not null,
     "updated_at" timestamptz(3) null
   )`,
  noting('user_restrictions_noted', 'user_restrictions', 'insert or update or delete'),

  `create table "identity"."trusted_issuer" (
     "id" text primary key,
     "organization_id" text not null,
     "name" text not null,
     "issuer" text not null,
     "audience" text not null,
     "jwks_uri" text not null,
     "permissions" jsonb not null,
     "permissions_claim" text null,
     "subjects" jsonb not null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `alter table "identity"."trusted_issuer" add constraint "trusted_issuer_issuer_audience_unique" unique ("issuer", "audience")`,
  `create index "trusted_issuer_organization_id_created_at_id_index" on "identity"."trusted_issuer" ("organization_id", "created_at", "id")`,
  noting('trusted_issuer_noted', 'trusted_issuer', 'update or delete'),
]);
