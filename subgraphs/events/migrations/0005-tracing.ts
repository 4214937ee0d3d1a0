import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the trace context of the request that caused an event. Also adds `event_time`, so that the log stores when an
 * event happened and when it was recorded.
 */
export const tracing = migration('0005-tracing', [
  outboxTracing('events'),
  // `occurred_at`, the partition key, is the time when the platform recorded an event; `event_time` is the time when
  // the event happened according to another clock
  `alter table "events"."event_log" add column "event_time" timestamptz(3) null, add column "traceparent" text null`,
]);
