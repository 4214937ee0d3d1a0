import { type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import { type TicketPriority, URGENCY } from '../ticket.states.ts';
import type { TicketCriteria } from './ticket-criteria.ts';
import { LIFE_CYCLE } from './ticket-sort.ts';

/**
 * Maximum number of rows that all index ranges of a list together may read. If they would read more rows, sorting all
 * matching tickets is faster.
 */
export const RANGE_ROWS_MAX = 20_000;

/** An index column, and the values of this column that a list includes. */
export interface RangeColumn {
  column: string;
  values: readonly (string | number)[];
}

/**
 * Chooses the columns by which a list is split into index ranges. An index contains the rows of each range in list
 * order, so the list can be read by merging the ranges. Returns undefined if a statement without ranges is faster:
 * there is only one range, no index has the list order, or the ranges would read more than RANGE_ROWS_MAX rows.
 */
export function rangeColumnsOf(criteria: TicketCriteria, sort: readonly SortBy[], length: number): RangeColumn[] | undefined {
  const states = sort.slice(0, -2);
  const inner = sort.slice(-2);
  if (inner.map(({ field }) => field).join() !== 'createdAt,id' || inner[0]?.order !== inner[1]?.order) return undefined;
  if (states.some(({ field }) => !STATE_FIELDS.has(field))) return undefined;
  const ofStates = statesOf(criteria);
  const candidates = states.length > 0 ? [[...accountsOf(criteria), ...ofStates], ofStates] : [narrowest(criteria)];
  const rowsRead = (columns: readonly RangeColumn[]) => columns.reduce((product, { values }) => product * values.length, length);
  return candidates.find((columns) => columns.length > 0 && rowsRead(columns) <= RANGE_ROWS_MAX);
}

/**
 * Sort fields whose value is the same for all rows of a range. For each field: its column, and the rank of a value in
 * the sort order.
 */
export const STATE_FIELDS: ReadonlyMap<string, { column: string; rank(value: unknown): number }> = new Map([
  ['lifeCycle', { column: 'status', rank: (status: unknown) => LIFE_CYCLE.indexOf(status as string) }],
  ['status', { column: 'status', rank: (status: unknown) => LIFE_CYCLE.toSorted().indexOf(status as string) }],
  ['urgency', { column: 'urgency', rank: (urgency: unknown) => urgency as number }],
]);

/** An index range: one value for each range column, and the position after which its rows are read. */
export interface IndexRange {
  values: readonly (string | number)[];
  from: readonly [createdAt: unknown, id: unknown];
}

/**
 * Returns the index ranges of a page: one for each combination of the column values. If there is a cursor, its states
 * (such as status and urgency) select a range. Ranges before this range in list order are left out. This range is read
 * from the cursor, and later ranges are read from their beginning.
 */
export function rangesOf(columns: readonly RangeColumn[], sort: readonly SortBy[], cursor: readonly unknown[] | undefined): IndexRange[] {
  const combinations = columns.reduce<(string | number)[][]>(
    (all, { values }) => all.flatMap((one) => values.map((value) => [...one, value])),
    [[]],
  );
  const inner = sort.findIndex(({ field }) => field === 'createdAt');
  const start = [sort[inner]?.order === SortOrder.ASC ? '-infinity' : 'infinity', ''] as const;
  return combinations.flatMap((values): IndexRange[] => {
    const side = cursor ? compareStates(values, cursor, columns, sort) : 1;
    if (side < 0) return [];
    return [{ values, from: side > 0 ? start : [cursor?.[inner], cursor?.[inner + 1]] }];
  });
}

/**
 * Compares the states of a range (such as status and urgency) with the states in the cursor. The result is positive if
 * the range comes later in the list, and 0 if the states are equal.
 */
function compareStates(
  values: IndexRange['values'],
  cursor: readonly unknown[],
  columns: readonly RangeColumn[],
  sort: readonly SortBy[],
): number {
  for (const [at, { field, order }] of sort.entries()) {
    const state = STATE_FIELDS.get(field);
    const difference = state ? state.rank(values[columns.findIndex(({ column }) => column === state.column)]) - state.rank(cursor[at]) : 0;
    if (difference !== 0) return order === SortOrder.ASC ? difference : -difference;
  }
  return 0;
}

/** Chooses the indexed columns that select the fewest tickets. */
function narrowest(criteria: TicketCriteria): RangeColumn[] {
  const { accountId, customerId, serviceAffected, assignedTo, category, status, priority } = criteria;
  if (customerId) return [rangeColumn('customer_id', customerId)];
  if (serviceAffected) return [rangeColumn('service_affected', serviceAffected)];
  // only PostgreSQL's query planner can estimate whether the accounts, the agent or the category has the fewest tickets
  if (accountId && (assignedTo || category)) return [];
  if (assignedTo) return [rangeColumn('agent_id', assignedTo), rangeColumn('status', status ?? LIFE_CYCLE)];
  if (category) return [rangeColumn('category', category), rangeColumn('status', status ?? LIFE_CYCLE)];
  return [...accountsOf(criteria), ...(status || priority ? statesOf(criteria) : [])];
}

const accountsOf = ({ accountId }: TicketCriteria): RangeColumn[] => (accountId ? [rangeColumn('account_id', accountId)] : []);

const statesOf = ({ status, priority }: TicketCriteria): RangeColumn[] => [
  rangeColumn('status', status ?? LIFE_CYCLE),
  rangeColumn('urgency', priority?.map((one) => URGENCY[one as TicketPriority]) ?? Object.values(URGENCY)),
];

const rangeColumn = (column: string, values: readonly (string | number)[]): RangeColumn => ({ column, values: [...new Set(values)] });

/** Returns the criteria without those that the range columns already apply. */
export function criteriaWithout(criteria: TicketCriteria, columns: readonly RangeColumn[]): TicketCriteria {
  const applied = new Set(columns.map(({ column }) => column));
  return {
    ...criteria,
    ...(applied.has('account_id') && { accountId: null }),
    ...(applied.has('customer_id') && { customerId: null }),
    ...(applied.has('service_affected') && { serviceAffected: null }),
    ...(applied.has('agent_id') && { assignedTo: null }),
    ...(applied.has('category') && { category: null }),
    ...(applied.has('status') && { status: null }),
    ...(applied.has('urgency') && { priority: null }),
  };
}
