import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds columns to the outbox: the trace context of the request that caused an event, and the time when an event
 * happened, in addition to the time when it was recorded.
 */
export const tracing = migration('0006-tracing', [outboxTracing('services')]);
