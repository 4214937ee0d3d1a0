import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds second factors. The columns of users and organizations, and elevations, were already created by 0002-access. */
export const mfa = migration('0012-mfa', [
  `create table "identity"."mfa_method" (
     "id" text primary key,
     "organization_id" text not null,
     "user_id" text not null references "identity"."user" ("id") on delete cascade,
     "type" text not null,
     "secret" text null,
     "address" text null,
     "last_step" int null,
     "created_at" timestamptz(3) not null,
     "confirmed_at" timestamptz(3) null,
     "last_used_at" timestamptz(3) null
   )`,
  `alter table "identity"."mfa_method" add constraint "mfa_method_type_check" check ("type" in ('totp', 'sms', 'email'))`,
  `create index "mfa_method_user_id_index" on "identity"."mfa_method" ("user_id")`,
  `create unique index "mfa_method_one_pending" on "identity"."mfa_method" ("user_id", "type") where "confirmed_at" is null`,
  `create unique index "mfa_method_one_confirmed" on "identity"."mfa_method" ("user_id", "type") where "confirmed_at" is not null`,
  `create table "identity"."backup_code" (
     "user_id" text not null references "identity"."user" ("id") on delete cascade,
     "hash" text not null,
     "used_at" timestamptz(3) null,
     primary key ("user_id", "hash")
   )`,
  `create table "identity"."mfa_challenge" (
     "id" text primary key,
     "organization_id" text not null,
     "user_id" text not null references "identity"."user" ("id") on delete cascade,
     "session_id" text not null,
     "method_id" text null references "identity"."mfa_method" ("id") on delete cascade,
     "subject_id" text not null,
     "code_method" text null,
     "code_hash" text null,
     "code_expires_at" timestamptz(3) null,
     "attempts" int not null default 0,
     "created_at" timestamptz(3) not null,
     "expires_at" timestamptz(3) not null,
     "verified_at" timestamptz(3) null
   )`,
  `alter table "identity"."mfa_challenge" add constraint "mfa_challenge_subject_id_unique" unique ("subject_id")`,
  `alter table "identity"."mfa_challenge" add constraint "mfa_challenge_code_method_check" check ("code_method" in ('totp', 'sms', 'email'))`,
  `create index "mfa_challenge_expires_at_index" on "identity"."mfa_challenge" ("expires_at")`,
  `create table "identity"."mfa_counter" (
     "key" text primary key,
     "count" int not null,
     "first_at" timestamptz(3) not null
   )`,
]);
