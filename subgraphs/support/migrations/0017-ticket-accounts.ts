import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds an index of the tickets of each account, in order of creation. Ticket lists use it for callers who are limited
 * to certain accounts.
 */
export const ticketAccounts = migration('0017-ticket-accounts', [
  `create index "ticket_organization_id_account_id_created_at_id_index" on "support"."ticket" ("organization_id", "account_id", "created_at", "id")`,
]);
