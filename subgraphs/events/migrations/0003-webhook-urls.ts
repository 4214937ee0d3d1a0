import { backfill } from '../../../kernel/database/backfill.ts';
import { migration } from '../../../kernel/migrations/migration.ts';

/** Addresses of webhooks from before are normalized after the start, by the same code as new ones (webhooks/webhook-url.ts). */
export const webhookUrls = migration('0003-webhook-urls', backfill('events', 'webhook-urls', `exists (select from "events"."webhook")`));
