import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds an index from the id of a ticket to its account. A text search for a caller who is limited to accounts uses this
 * index, because it checks the accounts of many tickets.
 */
export const accountsById = migration('0019-accounts-by-id', [
  `create index "ticket_account_of_id_index" on "support"."ticket" ("organization_id", "id") include ("account_id")`,
]);
