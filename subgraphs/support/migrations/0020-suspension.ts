import { migration } from '../../../kernel/migrations/migration.ts';

/** What waits for a suspended organization does not expire meanwhile. */
export const suspension = migration(
  '0020-suspension',
  ['slack_integration', 'jira_integration'].map(
    (table) => `alter table "support"."${table}" add column "waited_until" timestamptz(3) null`,
  ),
);
