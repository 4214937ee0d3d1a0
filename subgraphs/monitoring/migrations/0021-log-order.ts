import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds the transaction that stored an entry. Readers that follow the log read the entries of all transactions that have ended
 * since their last read, so they miss none. Entries that are already stored have no transaction: nobody follows them.
 */
export const logOrder = migration('0021-log-order', [
  `alter table "monitoring"."log_entry" add column "stored_by" xid8 null`,
  `alter table "monitoring"."log_entry" alter column "stored_by" set default pg_current_xact_id()`,
  `create index "log_entry_stored_by_index" on "monitoring"."log_entry" ("stored_by")`,
]);
