import { eventTables } from './0001-events.ts';
import { deliveryAttempts } from './0002-delivery-attempts.ts';
import { webhookUrls } from './0003-webhook-urls.ts';
import { retention } from './0004-retention.ts';
import { tracing } from './0005-tracing.ts';
import { leases } from './0006-leases.ts';
import { outboxNotification } from './0007-outbox-notification.ts';

/** Migrations in the order in which they are applied. */
export const migrations = [eventTables, deliveryAttempts, webhookUrls, retention, tracing, leases, outboxNotification];
