import type { RecordScope } from '../../../kernel/access/principal.ts';
import { type ListTable, type RangeColumn, rangeColumn } from '../../../kernel/lists/list.ts';
import { bothOf, type ColumnValues, type RowFilter } from '../../../kernel/lists/row-filter.ts';
import { textIn, timestampIn } from '../../../kernel/lists/sort-fields.ts';
import type { InvoiceFilter, InvoiceSortField } from './invoice.inputs.ts';
import { InvoiceStatus } from './invoice.states.ts';

/** The lists of invoices, and the database indexes that serve them. */
export const INVOICES: ListTable = {
  name: '"billing"."invoice"',
  fields: {
    createdAt: timestampIn('created_at'),
    dueDate: timestampIn('due_date'),
    amount: { column: 'amount', type: 'numeric', runtimeType: 'Decimal' },
    status: { ...textIn('status'), items: Object.values(InvoiceStatus) },
    id: textIn('id'),
  } satisfies Record<`${InvoiceSortField}` | 'id', unknown>,
  rangeColumns,
};

/**
 * Splits a list by account or, if no accounts are given, by status, so that an index serves each part. An account has few invoices, so an
 * index by account and status is not needed.
 */
function rangeColumns({ account_id, status }: ColumnValues): RangeColumn[][] {
  if (account_id) return [[rangeColumn('account_id', account_id)]];
  return status ? [[rangeColumn('status', status)]] : [];
}

/** Returns the conditions of a list of invoices: the filter, and the accounts that the caller may see. */
export const invoicesOf = ({ organizationId, accounts }: RecordScope, filter: InvoiceFilter): RowFilter => ({
  organizationId,
  values: { account_id: bothOf(filter.accountId, accounts), status: filter.status },
  createdAfter: filter.dateFrom,
  createdBefore: filter.dateTo,
});
