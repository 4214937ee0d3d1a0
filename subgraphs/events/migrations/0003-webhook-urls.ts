import { backfill } from '../../../kernel/database/backfill.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the background task that normalizes existing webhook URLs after the platform has started. The task uses the code
 * that also normalizes new URLs (webhooks/webhook-url.ts).
 */
export const webhookUrls = migration('0003-webhook-urls', backfill('events', 'webhook-urls', `exists (select from "events"."webhook")`));
