import { migration } from '../../../kernel/migrations/migration.ts';

/** The newest tickets of an account, for callers who are limited to accounts. */
export const ticketAccounts = migration('0017-ticket-accounts', [
  `create index "ticket_organization_id_account_id_created_at_id_index" on "support"."ticket" ("organization_id", "account_id", "created_at", "id")`,
]);
