import { migration } from '../../../kernel/migration.ts';
import { inboxRetentionIndex } from '../../../kernel/outbox.ts';

/** Finds what is kept no longer. */
export const retention = migration('0005-retention', [inboxRetentionIndex('services')]);
