import { migration } from '../../../kernel/migrations/migration.ts';

export const certificates = migration('0003-certificates', [
  `create table "identity"."certificate" (
     "id" text primary key,
     "organization_id" text not null,
     "name" text not null,
     "permissions" jsonb not null,
     "fingerprint" text not null,
     "subject" text not null,
     "issuer" text not null,
     "serial_number" text not null,
     "not_before" timestamptz(3) not null,
     "not_after" timestamptz(3) not null,
     "status" text not null default 'active',
     "revoked_at" timestamptz(3) null,
     "last_used" timestamptz(3) null,
     "usage_count" bigint not null default '0',
     "created_at" timestamptz(3) not null
   )`,
  `alter table "identity"."certificate" add constraint "certificate_fingerprint_unique" unique ("fingerprint")`,
  `create index "certificate_organization_id_created_at_id_index" on "identity"."certificate" ("organization_id", "created_at", "id")`,
  `alter table "identity"."certificate" add constraint "certificate_status_check" check ("status" in ('active', 'revoked'))`,
  `create trigger "certificate_noted" after insert or delete or update of "permissions", "status" on "identity"."certificate"
     for each row execute function "identity"."note_change"()`,
]);
