import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds an index that has the account of a ticket by id. Text search checks many tickets, of which a limited caller may see only some. */
export const accountsById = migration('0019-accounts-by-id', [
  `create index "ticket_account_of_id_index" on "support"."ticket" ("organization_id", "id") include ("account_id")`,
]);
