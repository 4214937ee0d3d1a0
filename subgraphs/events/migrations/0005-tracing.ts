import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds trace context to events, from request to event, and the time at which an event was recorded beside when it occurred. */
export const tracing = migration('0005-tracing', [
  outboxTracing('events'),
  // the partition key `occurred_at` is when an event was recorded; if another clock states when it happened, that is `event_time`
  `alter table "events"."event_log" add column "event_time" timestamptz(3) null, add column "traceparent" text null`,
]);
