import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Creates a trigger that notifies every process when a record of `table` changes. Cached credentials may depend on the record
 * (authentication/change-feed.ts).
 */
const noting = (table: string, on: string): string =>
  `create trigger "${table}_noted" after ${on} on "identity"."${table}" for each row execute function "identity"."note_change"()`;

export const access = migration('0002-access', [
  `create table "identity"."change" (
     "sequence" bigint generated always as identity primary key,
     "subject_id" text not null,
     "changed_at" timestamptz(3) not null default clock_timestamp()
   )`,
  `create index "change_changed_at_index" on "identity"."change" ("changed_at")`,
  `create function "identity"."note_change"() returns trigger language plpgsql as $$
     declare "subject" text := coalesce(to_jsonb(new), to_jsonb(old)) ->> 'id';
     begin
       insert into "identity"."change" ("subject_id") values ("subject");
       perform pg_notify('identity_change', "subject");
       return null;
     end $$`,

  `alter table "identity"."organization" add column "second_factor_required" boolean not null default false`,
  noting('organization', 'update'),
  noting('api_key', 'delete or update of "hash", "permissions", "rate_limit", "ip_whitelist", "expires_at"'),

  `alter table "identity"."user" add column "account_id" text null`,
  `alter table "identity"."user" add column "phone" text null`,
  `alter table "identity"."user" add column "second_factor" boolean not null default false`,
  `alter table "identity"."user" add column "updated_at" timestamptz(3) null`,
  `update "identity"."user" set "updated_at" = "created_at"`,
  `alter table "identity"."user" alter column "updated_at" set not null`,
  `alter table "identity"."user" alter column "password_hash" drop not null`,
  `alter table "identity"."user" drop constraint "user_status_check"`,
  `alter table "identity"."user" add constraint "user_status_check" check ("status" in ('invited', 'active', 'suspended'))`,
  `create index "user_organization_id_account_id_index" on "identity"."user" ("organization_id", "account_id")`,
  noting('user', 'delete or update of "role", "status", "second_factor"'),

  `create table "identity"."session" (
     "id" text primary key,
     "organization_id" text not null,
     "user_id" text not null,
     "method" text not null,
     "ip_address" text null,
     "user_agent" text null,
     "created_at" timestamptz(3) not null,
     "last_used_at" timestamptz(3) not null,
     "expires_at" timestamptz(3) not null,
     "ended_at" timestamptz(3) null,
     "end_reason" text null
   )`,
  `create index "session_organization_id_user_id_created_at_index" on "identity"."session" ("organization_id", "user_id", "created_at")`,
  noting('session', 'delete or update of "ended_at"'),
  `create table "identity"."refresh_token" (
     "hash" text primary key,
     "session_id" text not null references "identity"."session" ("id") on delete cascade,
     "created_at" timestamptz(3) not null,
     "expires_at" timestamptz(3) not null,
     "used_at" timestamptz(3) null
   )`,
  `create index "refresh_token_session_id_index" on "identity"."refresh_token" ("session_id")`,
  `create table "identity"."elevation" (
     "id" text primary key,
     "user_id" text not null,
     "until" timestamptz(3) not null
   )`,
  noting('elevation', 'insert or update or delete'),

  `create table "identity"."signing_key" (
     "id" text primary key,
     "public_jwk" jsonb not null,
     "private_jwk" text not null,
     "created_at" timestamptz(3) not null,
     "signs_from" timestamptz(3) not null
   )`,
  `create table "identity"."revoked_token" (
     "id" text primary key,
     "revoked_at" timestamptz(3) not null,
     "expires_at" timestamptz(3) not null
   )`,
  `create index "revoked_token_expires_at_index" on "identity"."revoked_token" ("expires_at")`,
  noting('revoked_token', 'insert'),
  `create table "identity"."one_time_token" (
     "hash" text primary key,
     "purpose" text not null,
     "user_id" text not null,
     "created_at" timestamptz(3) not null,
     "expires_at" timestamptz(3) not null,
     "used_at" timestamptz(3) null
   )`,
  `alter table "identity"."one_time_token" add constraint "one_time_token_purpose_check" check ("purpose" in ('invitation', 'password_reset'))`,
  `create index "one_time_token_user_id_index" on "identity"."one_time_token" ("user_id")`,
  `create table "identity"."login_attempt" (
     "key" text primary key,
     "failures" int not null,
     "first_at" timestamptz(3) not null
   )`,

  `create table "identity"."audit_record" (
     "id" text primary key,
     "organization_id" text null,
     "timestamp" timestamptz(3) not null,
     "event_type" text not null,
     "user_id" text null,
     "client_id" text null,
     "ip_address" text null,
     "user_agent" text null,
     "authentication_method" text null,
     "token_type" text null,
     "scopes" jsonb not null,
     "session_id" text null,
     "reason" text null
   )`,
  `create index "audit_record_organization_id_timestamp_id_index" on "identity"."audit_record" ("organization_id", "timestamp", "id")`,
  `create function "identity"."refuse_change"() returns trigger language plpgsql as $$
     begin raise exception 'Audit records are not changed.'; end $$`,
  `create trigger "audit_record_append_only" before update or delete on "identity"."audit_record" for each row execute function "identity"."refuse_change"()`,
]);
