import { outboxTracing } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** From a request to its events; events say when they were recorded, beside when they occurred. */
export const tracing = migration('0006-tracing', [outboxTracing('services')]);
