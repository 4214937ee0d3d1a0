import { migration } from '../../../kernel/migrations/migration.ts';

/** Adds the index for the newest tickets of an account. Lists of callers who are limited to accounts use it. */
export const ticketAccounts = migration('0017-ticket-accounts', [
  `create index "ticket_organization_id_account_id_created_at_id_index" on "support"."ticket" ("organization_id", "account_id", "created_at", "id")`,
]);
