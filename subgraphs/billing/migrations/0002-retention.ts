import { inboxRetentionIndex } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the index by which expired inbox rows are found. */
export const retention = migration('0002-retention', [inboxRetentionIndex('billing')]);
