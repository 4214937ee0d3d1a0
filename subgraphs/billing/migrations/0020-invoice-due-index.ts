import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds an index for lists of invoices by due date. It is a separate migration with one statement, so that invoices can be read while the
 * index is built.
 */
export const invoiceDueIndex = migration('0020-invoice-due-index', [
  `create index "invoice_organization_id_due_date_id_index" on "billing"."invoice" ("organization_id", "due_date", "id")`,
]);
