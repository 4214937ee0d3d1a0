import { outboxWithoutTrigger } from '../../../kernel/events/outbox.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** Events are notified by the process that records them, after the commit. */
export const outboxNotification = migration('0024-outbox-notification', outboxWithoutTrigger('services'));
