import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the index for the newest tickets of an account. A list for a caller who is limited to accounts uses this index.
 */
export const ticketAccounts = migration('0017-ticket-accounts', [
  `create index "ticket_organization_id_account_id_created_at_id_index" on "support"."ticket" ("organization_id", "account_id", "created_at", "id")`,
]);
