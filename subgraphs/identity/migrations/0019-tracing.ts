import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds columns to the events: the id of the request that caused an event, and the time at which the event was recorded, in addition to the
 * time at which it occurred.
 */
export const tracing = migration('0019-tracing', [outboxTracing('identity')]);
