import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Events store the id of the request that caused them. They store both the time at which they occurred and the time at
 * which they were recorded.
 */
export const tracing = migration('0019-tracing', [outboxTracing('identity')]);
