import { firstSeen, LOOKED_AT } from '../records/first-seen.ts';
import type { Window } from '../records/pagination.ts';
import { mergedRanges, RANGE_ROWS_MAX, rangeColumnsOf, type Section } from './index-ranges.ts';
import type { List } from './list.ts';
import { Parameters } from './parameters.ts';
import { conditionsOf, isOneOf } from './row-filter.ts';
import { keysetAfter, keysOf, orderOf, sortFieldOf } from './sort-fields.ts';

/** Text and parameter values of a statement. */
export interface Statement {
  text: string;
  values: unknown[];
}

/** Returns the statement for one page of a list. It selects the sort fields of the rows, each under its name. */
export function pageStatement(list: List, window: Window): Statement {
  const { table, sort } = list;
  const parameters = new Parameters();
  const page = `limit ${parameters.add(window.limit)} offset ${parameters.add(window.offset)}`;
  const rows = rowsOf(list, window, parameters);
  const text = `select ${keysOf(table.fields, sort)} from (${rows}) p order by ${orderOf(table.fields, sort)} ${page}`;
  return { text, values: parameters.values };
}

/** The column that limits a caller to accounts. */
const ACCOUNT = 'account_id';

/**
 * Returns SQL for the first `offset + limit` rows of a list. If `after` is given, only rows after this key are
 * included.
 */
function rowsOf(list: List, { limit, offset, after }: Window, parameters: Parameters): string {
  const { filter } = list;
  const accounts = filter.values[ACCOUNT];
  const length = offset + limit;
  if (list.source || !accounts || accounts.length === 1 || length * LOOKED_AT > RANGE_ROWS_MAX)
    return listOf(list, { length, after }, parameters);
  const ofAllAccounts = { ...list, filter: { ...filter, values: { ...filter.values, [ACCOUNT]: null } } };
  const seen = listOf(ofAllAccounts, { length: length * LOOKED_AT, after }, parameters, [ACCOUNT]);
  const merged = listOf(list, { length, after }, parameters, [ACCOUNT]);
  return firstSeen(seen, isOneOf('s', ACCOUNT, accounts, parameters), merged, parameters.add(length));
}

/**
 * Returns SQL for the rows of a section, in the order of the list. If an index has the same order, the SQL reads the
 * rows from the index. `more` contains columns that are selected in addition to the sort columns.
 */
function listOf(list: List, section: Section, parameters: Parameters, more: readonly string[] = []): string {
  const { filter, sort, source, table } = list;
  const { fields, name } = table;
  const names = new Set([...sort.map(({ field }) => sortFieldOf(fields, field).column), ...more]);
  const selected = [...names].map((column) => `"${column}"`).join(', ');
  const columns = source ? undefined : rangeColumnsOf(list, section.length);
  if (columns) return mergedRanges(list, section, columns, selected, parameters);
  const { length, after } = section;
  const beyond = after ? [keysetAfter(fields, sort, after, parameters)] : [];
  const from = source ? `(${source(parameters)})` : name;
  const conditions = [...(source ? [] : conditionsOf(filter, parameters)), ...beyond];
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : '';
  return `select ${selected} from ${from} t ${where} order by ${orderOf(fields, sort)} limit ${parameters.add(length)}`;
}
