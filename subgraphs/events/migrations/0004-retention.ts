import { inboxRetentionIndex } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** Finds what is kept no longer. */
export const retention = migration('0004-retention', [inboxRetentionIndex('events')]);
