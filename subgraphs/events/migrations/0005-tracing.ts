import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** From a request to its events; events say when they were recorded, beside when they occurred. */
export const tracing = migration('0005-tracing', [
  outboxTracing('events'),
  // the partition key, `occurred_at`, is when an event was recorded: its own time stands beside it where another clock told it
  `alter table "events"."event_log" add column "event_time" timestamptz(3) null, add column "traceparent" text null`,
]);
