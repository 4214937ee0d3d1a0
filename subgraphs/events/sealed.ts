import type { SealedColumn } from '../../kernel/access/sealed-column.ts';

/** Encryption purpose of the webhook secrets that are stored. */
export const WEBHOOK_SECRETS = 'events.webhook-secret';

export const sealed: readonly SealedColumn[] = [
  { table: 'webhook', column: 'sealed_secret', purpose: WEBHOOK_SECRETS },
  { table: 'webhook', column: 'previous_sealed_secret', purpose: WEBHOOK_SECRETS },
];
