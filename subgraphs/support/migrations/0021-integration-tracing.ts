import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the trace context from an event to the requests to Slack and Jira. */
export const integrationTracing = migration('0021-integration-tracing', [
  'alter table "support"."integration_delivery" add column "traceparent" text null',
]);
