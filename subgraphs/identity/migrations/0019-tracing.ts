import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Events store the id of the request that caused them, and the time at which they were recorded, in addition to the
 * time at which they occurred.
 */
export const tracing = migration('0019-tracing', [outboxTracing('identity')]);
