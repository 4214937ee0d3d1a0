import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds two columns to events: the trace context of the request, and the time at which the event was recorded if it
 * occurred at another time.
 */
export const tracing = migration('0016-tracing', [outboxTracing('support')]);
