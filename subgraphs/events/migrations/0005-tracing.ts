import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the trace context of the request that caused an event. Also stores both the time when an event happened and the
 * time when it was recorded.
 */
export const tracing = migration('0005-tracing', [
  outboxTracing('events'),
  // `occurred_at`, the partition key, is the time when an event was recorded; `event_time` is the time when it
  // happened, if another clock states it
  `alter table "events"."event_log" add column "event_time" timestamptz(3) null, add column "traceparent" text null`,
]);
