import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the trace context of the event to each delivery, so that requests to Slack and Jira belong to the same trace.
 */
export const integrationTracing = migration('0021-integration-tracing', [
  'alter table "support"."integration_delivery" add column "traceparent" text null',
]);
