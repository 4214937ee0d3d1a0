import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds archives of the records of organizations, for exports by the operator. */
export const organizationExport = migration('0021-organization-export', [
  `create table "identity"."organization_export" (
     "id" text primary key,
     "organization_id" text not null,
     "status" text not null default 'writing',
     "counts" jsonb not null,
     "bytes" bigint not null default 0,
     "parts" int not null default 0,
     "position" jsonb null,
     "created_at" timestamptz(3) not null,
     "updated_at" timestamptz(3) not null,
     "completed_at" timestamptz(3) null,
     "expires_at" timestamptz(3) not null
   )`,
  `alter table "identity"."organization_export" add constraint "organization_export_status_check" check ("status" in ('writing', 'ready'))`,
  `create index "organization_export_organization_id_created_at_id_index" on "identity"."organization_export" ("organization_id", "created_at", "id")`,
]);
