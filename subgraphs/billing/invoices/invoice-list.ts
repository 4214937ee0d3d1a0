import type { RecordScope } from '../../../kernel/access/principal.ts';
import { type ListTable, type RangeColumn, rangeColumn } from '../../../kernel/lists/list.ts';
import type { ColumnValues, RowFilter } from '../../../kernel/lists/row-filter.ts';
import { textIn, timestampIn } from '../../../kernel/lists/sort-fields.ts';
import type { InvoiceFilter, InvoiceSortField } from './invoice.inputs.ts';
import { InvoiceStatus } from './invoice.states.ts';

/** The lists of invoices, and the indexes from which they are read. */
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

/** Splits a list by account, or else by status. The invoices of an account are few, so their status needs no index. */
function rangeColumns({ account_id, status }: ColumnValues): RangeColumn[][] {
  if (account_id) return [[rangeColumn('account_id', account_id)]];
  return status ? [[rangeColumn('status', status)]] : [];
}

/** Returns the conditions of a list: the filter, and the accounts that the caller sees. */
export const invoicesOf = ({ organizationId, accounts }: RecordScope, filter: InvoiceFilter): RowFilter => ({
  organizationId,
  values: { account_id: bothOf(filter.accountId, accounts), status: filter.status },
  createdAfter: filter.dateFrom,
  createdBefore: filter.dateTo,
});

/** Returns the ids that are in both lists. Null or undefined means a list of all ids. */
const bothOf = (one: readonly string[] | null | undefined, other: readonly string[] | null): readonly string[] | null | undefined =>
  one && other ? one.filter((id) => other.includes(id)) : (one ?? other);
