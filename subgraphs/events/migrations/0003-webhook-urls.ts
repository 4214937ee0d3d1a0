import { backfill } from '../../../kernel/database/backfill.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the background task that normalizes existing webhook URLs after the start. It uses the same code as for new URLs
 * (webhooks/webhook-url.ts).
 */
export const webhookUrls = migration('0003-webhook-urls', backfill('events', 'webhook-urls', `exists (select from "events"."webhook")`));
