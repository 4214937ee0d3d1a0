import { migration } from '../../../kernel/migrations/migration.ts';
import { tallyTable } from '../../../kernel/tally/tally-table.ts';
import { INVOICE_ACCOUNT_TALLY, INVOICE_TALLY } from '../invoices/invoice-tallies.ts';

/**
 * Adds counters of the invoices of each organization and account by status, and indexes for lists of invoices by status or account. A
 * background task counts existing invoices later (kernel/tally/tally-backfill.ts).
 */
export const invoiceTally = migration('0004-invoice-tally', [
  ...tallyTable(INVOICE_TALLY),
  ...tallyTable(INVOICE_ACCOUNT_TALLY),
  `create index "invoice_organization_id_status_created_at_id_index" on "billing"."invoice" ("organization_id", "status", "created_at", "id")`,
  `create index "invoice_organization_id_account_id_created_at_id_index" on "billing"."invoice"
     ("organization_id", "account_id", "created_at", "id")`,
]);
