import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds `waited_until` to Slack and Jira integrations. While an organization is suspended, its deliveries wait until
 * this time and are then checked again. The column keeps its value after the suspension, so that no delivery expires
 * because of the suspension.
 */
export const suspension = migration(
  '0020-suspension',
  ['slack_integration', 'jira_integration'].map(
    (table) => `alter table "support"."${table}" add column "waited_until" timestamptz(3) null`,
  ),
);
