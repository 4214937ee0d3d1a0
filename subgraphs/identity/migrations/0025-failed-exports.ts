import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds failed exports. An export fails after too many attempts to write the same part. */
export const failedExports = migration('0025-failed-exports', [
  `alter table "identity"."organization_export"
     add column "attempts" int not null default 0,
     add column "error" text null,
     drop constraint "organization_export_status_check",
     add constraint "organization_export_status_check" check ("status" in ('writing', 'ready', 'failed'))`,
]);
