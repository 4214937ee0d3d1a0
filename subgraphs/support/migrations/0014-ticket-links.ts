import { migration } from '../../../kernel/migrations/migration.ts';

/** When the link that a mail gave its recipient was taken back (notifications/ticket-links.ts). */
export const ticketLinks = migration('0014-ticket-links', [
  `alter table "support"."notification_recipient" add column "link_revoked_at" timestamptz(3) null`,
]);
