import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the trace context of the request that caused an event. Also stores both the time when an event happened and the
 * time when it was recorded.
 */
export const tracing = migration('0006-tracing', [outboxTracing('services')]);
