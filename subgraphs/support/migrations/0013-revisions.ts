import { migration } from '../../../kernel/migrations/migration.ts';

/** Articles and SLA policies say which revision they have, so that of two changes at once one is told. */
export const revisions = migration('0013-revisions', [
  `alter table "support"."article" add column "revision" int not null default 1`,
  `alter table "support"."sla_policy" add column "revision" int not null default 1`,
]);
