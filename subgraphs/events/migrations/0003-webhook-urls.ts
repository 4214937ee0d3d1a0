import { backfill } from '../../../kernel/database/backfill.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the backfill that normalizes existing webhook URLs after the start, with the code for new ones (webhooks/webhook-url.ts). */
export const webhookUrls = migration('0003-webhook-urls', backfill('events', 'webhook-urls', `exists (select from "events"."webhook")`));
