import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** Events store the request that caused them, and when they were recorded in addition to when they occurred. */
export const tracing = migration('0019-tracing', [outboxTracing('identity')]);
