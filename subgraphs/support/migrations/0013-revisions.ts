import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds a revision number to articles and SLA policies, so that concurrent changes are detected. */
export const revisions = migration('0013-revisions', [
  `alter table "support"."article" add column "revision" int not null default 1`,
  `alter table "support"."sla_policy" add column "revision" int not null default 1`,
]);
