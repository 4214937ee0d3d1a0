import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the time until which deliveries waited for the end of a suspension. With this time, no delivery expires because
 * of the suspension.
 */
export const suspension = migration(
  '0020-suspension',
  ['slack_integration', 'jira_integration'].map(
    (table) => `alter table "support"."${table}" add column "waited_until" timestamptz(3) null`,
  ),
);
