import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds columns to events: the trace context of the request that caused the event, and a second time. Events then have
 * the time when they happened and the time when they were recorded.
 */
export const tracing = migration('0005-tracing', [
  outboxTracing('events'),
  // `occurred_at`, the partition key, is the time when an event was recorded; `event_time` is the time when it
  // happened, if another clock states it
  `alter table "events"."event_log" add column "event_time" timestamptz(3) null, add column "traceparent" text null`,
]);
