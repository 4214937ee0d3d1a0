import { inboxRetentionIndex } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the index that finds expired inbox rows. */
export const retention = migration('0005-retention', [inboxRetentionIndex('services')]);
