import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds two columns to the outbox: the trace context of the request that caused an event, and the time when the event
 * was recorded. This time is null if it is the time when the event occurred.
 */
export const tracing = migration('0006-tracing', [outboxTracing('services')]);
