import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the time at which a recipient's link was revoked (notifications/ticket-links.ts). */
export const ticketLinks = migration('0014-ticket-links', [
  `alter table "support"."notification_recipient" add column "link_revoked_at" timestamptz(3) null`,
]);
