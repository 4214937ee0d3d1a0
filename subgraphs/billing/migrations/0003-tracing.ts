import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds columns to events: the trace context of the request that caused the event, and the time when the event was
 * recorded. This time may differ from the time when the event happened.
 */
export const tracing = migration('0003-tracing', [outboxTracing('billing')]);
