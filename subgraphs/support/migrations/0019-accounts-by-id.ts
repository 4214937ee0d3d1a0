import { migration } from '../../../kernel/migrations/migration.ts';

/** The account of a ticket by its id, from the index alone: words are looked up in many tickets of which a caller sees some. */
export const accountsById = migration('0019-accounts-by-id', [
  `create index "ticket_account_of_id_index" on "support"."ticket" ("organization_id", "id") include ("account_id")`,
]);
