import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds OAuth 2.0 clients and the authorization server's records. Suspending or removing a user deletes the grants that the user gave.
 * Changing the password of a user revokes the user's sessions on the authorization server's pages.
 */
export const oauth = migration('0010-oauth', [
  `create table "identity"."oauth_client" (
     "id" text primary key,
     "organization_id" text not null,
     "name" text not null,
     "description" text null,
     "is_confidential" boolean not null,
     "secret_hash" text null,
     "previous_secret_hash" text null,
     "previous_secret_until" timestamptz(3) null,
     "redirect_uris" jsonb not null,
     "grant_types" jsonb not null,
     "permissions" jsonb not null,
     "homepage_url" text null,
     "logo_url" text null,
     "active" boolean not null default true,
     "grant_id" text not null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null
   )`,
  `create index "oauth_client_organization_id_created_at_id_index" on "identity"."oauth_client" ("organization_id", "created_at", "id")`,
  `create trigger "oauth_client_noted" after delete or update of "active", "permissions" on "identity"."oauth_client"
     for each row execute function "identity"."note_change"()`,

  `create table "identity"."oauth_record" (
     "kind" text not null,
     "hash" text not null,
     "payload" text not null,
     "uid_hash" text null,
     "user_code_hash" text null,
     "grant_id" text null,
     "client_id" text null,
     "user_id" text null,
     "consumed_at" timestamptz(3) null,
     "expires_at" timestamptz(3) not null,
     primary key ("kind", "hash")
   )`,
  `create index "oauth_record_uid_hash_index" on "identity"."oauth_record" ("uid_hash") where "uid_hash" is not null`,
  `create index "oauth_record_user_code_hash_index" on "identity"."oauth_record" ("user_code_hash") where "user_code_hash" is not null`,
  `create index "oauth_record_grant_id_index" on "identity"."oauth_record" ("grant_id")`,
  `create index "oauth_record_client_id_index" on "identity"."oauth_record" ("client_id")`,
  `create index "oauth_record_user_id_index" on "identity"."oauth_record" ("user_id")`,
  `create index "oauth_record_expires_at_index" on "identity"."oauth_record" ("expires_at")`,

  `create function "identity"."end_oauth_of_user"() returns trigger language plpgsql as $$
     begin
       if tg_op = 'UPDATE' and new."status" = 'active' then
         delete from "identity"."oauth_record" where "user_id" = old."id" and "kind" = 'Session';
         return null;
       end if;
       insert into "identity"."revoked_token" ("id", "revoked_at", "expires_at")
         select "grant_id", now(), now() + interval '2 hours' from "identity"."oauth_record"
         where "user_id" = old."id" and "kind" = 'Grant' and "grant_id" is not null
         on conflict ("id") do nothing;
       delete from "identity"."oauth_record" where "user_id" = old."id";
       return null;
     end $$`,
  `create trigger "user_oauth_ended" after delete or update of "status", "password_hash" on "identity"."user"
     for each row execute function "identity"."end_oauth_of_user"()`,
]);
