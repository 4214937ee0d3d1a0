import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds trace context to events, from request to event, and the time at which an event was recorded beside when it occurred. */
export const tracing = migration('0003-tracing', [outboxTracing('billing')]);
