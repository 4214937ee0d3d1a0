import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds a time until which a suspension lasted, so that deliveries do not expire while the organization is suspended. */
export const suspension = migration(
  '0020-suspension',
  ['slack_integration', 'jira_integration'].map(
    (table) => `alter table "support"."${table}" add column "waited_until" timestamptz(3) null`,
  ),
);
