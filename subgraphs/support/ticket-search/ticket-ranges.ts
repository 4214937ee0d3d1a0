import type { SortBy } from '../../../kernel/graphql/page.ts';
import { type ListTable, type RangeColumn, rangeColumn } from '../../../kernel/lists/list.ts';
import type { ColumnValues } from '../../../kernel/lists/row-filter.ts';
import type { TicketPriority } from '../../../kernel/values/ticket-priority.ts';
import { URGENCY } from '../ticket.states.ts';
import { LIFE_CYCLE, SORT_FIELDS } from './ticket-sort.ts';

/** The lists of tickets, and the indexes from which they are read. */
export const TICKETS: ListTable = { name: '"support"."ticket"', fields: SORT_FIELDS, rangeColumns };

function rangeColumns(values: ColumnValues, states: readonly SortBy[]): RangeColumn[][] {
  if (states.length === 0) return [narrowest(values)];
  const ofStates = statesOf(values);
  return [[...accountsOf(values), ...ofStates], ofStates];
}

/** Chooses the indexed columns that select the fewest tickets. */
function narrowest(values: ColumnValues): RangeColumn[] {
  const { account_id, customer_id, service_affected, agent_id, category, status, priority } = values;
  if (customer_id) return [rangeColumn('customer_id', customer_id)];
  if (service_affected) return [rangeColumn('service_affected', service_affected)];
  // only PostgreSQL's query planner can estimate whether the accounts, the agent or the category has the fewest tickets
  if (account_id && (agent_id || category)) return [];
  if (agent_id) return [rangeColumn('agent_id', agent_id), rangeColumn('status', status ?? LIFE_CYCLE)];
  if (category) return [rangeColumn('category', category), rangeColumn('status', status ?? LIFE_CYCLE)];
  return [...accountsOf(values), ...(status || priority ? statesOf(values) : [])];
}

const accountsOf = ({ account_id }: ColumnValues): RangeColumn[] => (account_id ? [rangeColumn('account_id', account_id)] : []);

/** Returns the range columns of the states of a ticket. The index contains the priority as the number `urgency`. */
const statesOf = ({ status, priority }: ColumnValues): RangeColumn[] => [
  rangeColumn('status', status ?? LIFE_CYCLE),
  {
    column: 'urgency',
    type: 'int',
    values: [...new Set(priority?.map((one) => URGENCY[one as TicketPriority]) ?? Object.values(URGENCY))],
    filtered: 'priority',
  },
];
