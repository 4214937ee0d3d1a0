import { type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import { firstSeen, LOOKED_AT } from '../../../kernel/records/first-seen.ts';
import type { Window } from '../../../kernel/records/pagination.ts';
import { Parameters } from './parameters.ts';
import { conditionsOf, isOneOf } from './ticket-conditions.ts';
import { countedHitsOf, hitsOf } from './ticket-hits.ts';
import { keysetAfter, keysOf, orderOf, sortFieldOf } from './ticket-order.ts';
import type { TicketQuery } from './ticket-query.ts';
import { criteriaWithout, RANGE_ROWS_MAX, type RangeColumn, rangeColumnsOf, rangesOf, STATE_FIELDS } from './ticket-ranges.ts';

export interface Statement {
  text: string;
  values: unknown[];
}

/** Returns the statement for the total number of tickets in a list. */
export function totalStatement(query: TicketQuery): Statement {
  const parameters = new Parameters();
  const counted = query.criteria.q
    ? `(${countedHitsOf(query, parameters)}) h`
    : `"support"."ticket" t where ${conditionsOf(query, parameters).join(' and ')}`;
  return { text: `select count(*)::int as total from ${counted}`, values: parameters.values };
}

/**
 * Returns the statement for one page. It selects the ids of the tickets, and the fields by which the list is sorted.
 */
export function pageStatement(query: TicketQuery, sort: readonly SortBy[], window: Window): Statement {
  const parameters = new Parameters();
  const page = `limit ${parameters.add(window.limit)} offset ${parameters.add(window.offset)}`;
  const text = `select ${keysOf(sort)} from (${rowsOf(query, sort, window, parameters)}) p order by ${orderOf(sort)} ${page}`;
  return { text, values: parameters.values };
}

/** The part of a list to read: `length` rows, from its beginning or after a key. */
interface Section {
  length: number;
  after?: readonly unknown[] | undefined;
}

/**
 * Returns SQL for the first `offset + limit` rows of a list. If `after` is given, only rows after this key are
 * included.
 */
function rowsOf(query: TicketQuery, sort: readonly SortBy[], { limit, offset, after }: Window, parameters: Parameters): string {
  const { accountId, q } = query.criteria;
  const length = offset + limit;
  if (q || !accountId || accountId.length === 1 || length * LOOKED_AT > RANGE_ROWS_MAX)
    return listOf(query, sort, { length, after }, parameters);
  const ofAllAccounts = { ...query, criteria: { ...query.criteria, accountId: null } };
  const seen = listOf(ofAllAccounts, sort, { length: length * LOOKED_AT, after }, parameters, ACCOUNT);
  const merged = listOf(query, sort, { length, after }, parameters, ACCOUNT);
  return firstSeen(seen, isOneOf('s', 'account_id', accountId, parameters), merged, parameters.add(length));
}
const ACCOUNT = ['account_id'];

/**
 * Returns SQL for the rows of a list in order. If an index has this order, the SQL reads the rows from the index.
 * `more` lists columns that are selected in addition to the sort columns.
 */
function listOf(
  query: TicketQuery,
  sort: readonly SortBy[],
  section: Section,
  parameters: Parameters,
  more: readonly string[] = [],
): string {
  const selected = [...new Set([...sort.map(({ field }) => sortFieldOf(field).column), ...more])].map((column) => `"${column}"`).join(', ');
  const columns = query.criteria.q ? undefined : rangeColumnsOf(query.criteria, sort, section.length);
  if (columns) return mergedRanges(query, sort, section, columns, selected, parameters);
  const { length, after } = section;
  const beyond = after ? [keysetAfter(sort, after, parameters)] : [];
  const end = `order by ${orderOf(sort)} limit ${parameters.add(length)}`;
  if (query.criteria.q) {
    const hits = hitsOf(query, sort, parameters);
    const where = beyond.length ? `where ${beyond.join()}` : '';
    return `select ${selected} from (${hits}) h ${where} ${end}`;
  }
  const where = [...conditionsOf(query, parameters), ...beyond].join(' and ');
  return `select ${selected} from "support"."ticket" t where ${where} ${end}`;
}

/**
 * Returns SQL that merges index ranges. The SQL reads each range in order, and from each range at most as many rows as
 * the page needs.
 */
function mergedRanges(
  query: TicketQuery,
  sort: readonly SortBy[],
  { length, after }: Section,
  columns: readonly RangeColumn[],
  selected: string,
  parameters: Parameters,
): string {
  const ranges = rangesOf(columns, sort, after);
  const lists = columns.map(({ column }, at) => {
    const values = ranges.map((range) => range.values[at]);
    return `${parameters.add(values)}::${column === 'urgency' ? 'int' : 'text'}[]`;
  });
  const inner = sort.filter(({ field }) => !STATE_FIELDS.has(field));
  const beyond: string[] = [];
  if (after) {
    lists.push(
      `${parameters.add(ranges.map(({ from }) => from[0]))}::timestamptz[]`,
      `${parameters.add(ranges.map(({ from }) => from[1]))}::text[]`,
    );
    beyond.push(
      `(t."created_at", t."id") ${inner[0]?.order === SortOrder.ASC ? '>' : '<'} (w."v${columns.length}", w."v${columns.length + 1}")`,
    );
  }
  const equal = columns.map(({ column }, at) => `t."${column}" = w."v${at}"`);
  const rest = conditionsOf({ ...query, criteria: criteriaWithout(query.criteria, columns) }, parameters);
  const most = parameters.add(length);
  return `select ${selected} from unnest(${lists.join(', ')}) as w(${lists.map((_, at) => `"v${at}"`).join(', ')})
    cross join lateral (
      select ${selected} from "support"."ticket" t where ${[...equal, ...rest, ...beyond].join(' and ')}
      order by ${orderOf(inner)} limit ${most}
    ) r order by ${orderOf(sort)} limit ${most}`;
}
