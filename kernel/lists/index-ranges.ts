import { type SortBy, SortOrder } from '../graphql/page.ts';
import type { List, RangeColumn } from './list.ts';
import type { Parameters } from './parameters.ts';
import { type ColumnValues, conditionsOf } from './row-filter.ts';
import { orderOf, type SortFields } from './sort-fields.ts';

/**
 * Maximum number of rows that all index ranges of a list together may read. If they would read more rows, sorting all
 * matching rows is faster.
 */
export const RANGE_ROWS_MAX = 20_000;

/**
 * The part of a list to read: at most `length` rows, from the beginning of the list, or after the row with the sort
 * values `after`.
 */
export interface Section {
  length: number;
  after?: readonly unknown[] | undefined;
}

/**
 * Chooses the columns by which a list is split into index ranges. An index contains the rows of each range in list
 * order, so the list can be read by merging the ranges. Returns undefined if a statement without ranges is faster: the
 * table leaves the choice to the planner, no index has the list order, or the ranges would read more than
 * RANGE_ROWS_MAX rows.
 */
export function rangeColumnsOf({ table, filter, sort }: List, length: number): readonly RangeColumn[] | undefined {
  const states = sort.slice(0, -2);
  const inner = sort.slice(-2);
  if (inner.map(({ field }) => field).join() !== 'createdAt,id' || inner[0]?.order !== inner[1]?.order) return undefined;
  if (states.some(({ field }) => !table.fields[field]?.rank)) return undefined;
  const rowsRead = (columns: readonly RangeColumn[]) => columns.reduce((product, { values }) => product * values.length, length);
  return table.rangeColumns(filter.values, states).find((columns) => columns.length > 0 && rowsRead(columns) <= RANGE_ROWS_MAX);
}

/**
 * Returns SQL that merges index ranges. The SQL reads each range in order, and from each range at most as many rows as
 * the page needs. `selected` contains the columns of the result.
 */
export function mergedRanges(
  { table, filter, sort }: List,
  { length, after }: Section,
  columns: readonly RangeColumn[],
  selected: string,
  parameters: Parameters,
): string {
  const { fields, name } = table;
  const ranges = rangesOf(fields, columns, sort, after);
  const lists = columns.map(({ type }, at) => `${parameters.add(ranges.map(({ values }) => values[at]))}::${type}[]`);
  const inner = sort.slice(-2);
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
  const rest = conditionsOf({ ...filter, values: without(filter.values, columns) }, parameters);
  const most = parameters.add(length);
  return `select ${selected} from unnest(${lists.join(', ')}) as w(${lists.map((_, at) => `"v${at}"`).join(', ')})
    cross join lateral (
      select ${selected} from ${name} t where ${[...equal, ...rest, ...beyond].join(' and ')}
      order by ${orderOf(fields, inner)} limit ${most}
    ) r order by ${orderOf(fields, sort)} limit ${most}`;
}

/** Returns the values of a filter without the values that the range columns already apply. */
const without = (values: ColumnValues, columns: readonly RangeColumn[]): ColumnValues => ({
  ...values,
  ...Object.fromEntries(columns.map(({ filtered }) => [filtered, null])),
});

/** An index range: one value for each range column, and the position after which its rows are read. */
interface IndexRange {
  values: readonly (string | number)[];
  from: readonly [createdAt: unknown, id: unknown];
}

/**
 * Returns the index ranges of a page: one for each combination of the column values. If there is a cursor,
 * `compareStates` compares each range with it. A range before the cursor is left out, a range with the same states
 * (such as status and urgency) is read from the position of the cursor, and a later range is read from its beginning.
 */
function rangesOf(
  fields: SortFields,
  columns: readonly RangeColumn[],
  sort: readonly SortBy[],
  cursor: readonly unknown[] | undefined,
): IndexRange[] {
  const combinations = columns.reduce<(string | number)[][]>(
    (all, { values }) => all.flatMap((one) => values.map((value) => [...one, value])),
    [[]],
  );
  const inner = sort.length - 2;
  const start = [sort[inner]?.order === SortOrder.ASC ? '-infinity' : 'infinity', ''] as const;
  return combinations.flatMap((values): IndexRange[] => {
    const side = cursor ? compareStates(fields, values, cursor, columns, sort) : 1;
    if (side < 0) return [];
    return [{ values, from: side > 0 ? start : [cursor?.[inner], cursor?.[inner + 1]] }];
  });
}

/**
 * Compares the states of a range (such as status and urgency) with the states in the cursor. The result is positive if
 * the range comes later in the list, and 0 if the states are equal.
 */
function compareStates(
  fields: SortFields,
  values: IndexRange['values'],
  cursor: readonly unknown[],
  columns: readonly RangeColumn[],
  sort: readonly SortBy[],
): number {
  for (const [at, { field, order }] of sort.entries()) {
    const state = fields[field];
    const difference = state?.rank
      ? state.rank(values[columns.findIndex(({ column }) => column === state.column)]) - state.rank(cursor[at])
      : 0;
    if (difference !== 0) return order === SortOrder.ASC ? difference : -difference;
  }
  return 0;
}
