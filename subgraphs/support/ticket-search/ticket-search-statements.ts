import { type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import { firstSeen, LOOKED_AT } from '../../../kernel/records/first-seen.ts';
import type { Window } from '../../../kernel/records/pagination.ts';
import { type TicketPriority, URGENCY } from '../ticket.states.ts';
import { searchQuery, spelled, transitionalQuery } from '../words.ts';
import { Parameters } from './parameters.ts';
import type { TicketCriteria } from './ticket-criteria.ts';
import { LIFE_CYCLE, SORT_FIELDS, type SortField } from './ticket-sort.ts';

/** Maximum number of rows that all walks together may read. Beyond this it is cheaper to sort all matching tickets. */
const WALKED_MAX = 20_000;
/** Maximum number of hits that are ranked; the newest are taken. Ranking all hits of a common word would read the text of every one. */
export const HITS_MAX = 1000;

export interface Statement {
  text: string;
  values: unknown[];
}

/** The organization, criteria and search state that a statement is built for. */
export interface Wanted {
  organizationId: string;
  criteria: TicketCriteria;
  /** Whether internal comments are searched too. */
  isDesk: boolean;
  /** Whether all texts are converted to unaccented words. Until then, words with accents are searched too (ticket-text.ts). */
  isConverted: boolean;
  /** Whether all texts store their account. Until then, the account is read from the ticket (ticket-text.ts). */
  hasAccounts: boolean;
}

/** Statement for one page: the ids, with the fields that the list is sorted by. */
export function pageStatement(wanted: Wanted, sort: readonly SortBy[], window: Window): Statement {
  const parameters = new Parameters();
  const page = `limit ${parameters.add(window.limit)} offset ${parameters.add(window.offset)}`;
  const text = `select ${keysOf(sort)} from (${rowsOf(wanted, sort, window, parameters)}) p order by ${orderOf(sort)} ${page}`;
  return { text, values: parameters.values };
}

/** A part of a list: its first `length` rows, or the `length` rows after a key. */
interface Stretch {
  length: number;
  after?: readonly unknown[] | undefined;
}

/** SQL for the rows up to the end of the page. */
function rowsOf(wanted: Wanted, sort: readonly SortBy[], { limit, offset, after }: Window, parameters: Parameters): string {
  const { accountId, q } = wanted.criteria;
  const length = offset + limit;
  if (q || !accountId || accountId.length === 1 || length * LOOKED_AT > WALKED_MAX)
    return listOf(wanted, sort, { length, after }, parameters);
  const whole = { ...wanted, criteria: { ...wanted.criteria, accountId: null } };
  const seen = listOf(whole, sort, { length: length * LOOKED_AT, after }, parameters, ACCOUNT);
  const merged = listOf(wanted, sort, { length, after }, parameters, ACCOUNT);
  return firstSeen(seen, isOneOf('s', 'account_id', accountId, parameters), merged, parameters.add(length));
}
const ACCOUNT = ['account_id'];

/**
 * SQL for the rows of a list in order, read from an index with that order if there is one. `more` are columns to read in addition
 * to the sort columns.
 */
function listOf(wanted: Wanted, sort: readonly SortBy[], stretch: Stretch, parameters: Parameters, more: readonly string[] = []): string {
  const columns = [...new Set([...sort.map(({ field }) => columnOf(field).column), ...more])].map((column) => `"${column}"`).join(', ');
  const walks = wanted.criteria.q ? undefined : walksOf(wanted.criteria, sort, stretch.length);
  if (walks) return mergedWalks(wanted, sort, stretch, walks, columns, parameters);
  const { length, after } = stretch;
  const beyond = after ? [keysetAfter(sort, after, parameters)] : [];
  const end = `order by ${orderOf(sort)} limit ${parameters.add(length)}`;
  if (wanted.criteria.q) {
    const hits = hitsOf(wanted, sort, parameters);
    const where = beyond.length ? `where ${beyond.join()}` : '';
    return `select ${columns} from (${hits}) h ${where} ${end}`;
  }
  const where = [...conditionsOf(wanted, parameters), ...beyond].join(' and ');
  return `select ${columns} from "support"."ticket" t where ${where} ${end}`;
}

/** SQL that merges walks. Each walk reads one index range in order, and at most as many rows as the page needs. */
function mergedWalks(
  wanted: Wanted,
  sort: readonly SortBy[],
  { length, after }: Stretch,
  walks: readonly Walk[],
  columns: string,
  parameters: Parameters,
): string {
  const ranges = rangesOf(walks, sort, after);
  const lists = walks.map(({ column }, at) => {
    const values = ranges.map((range) => range.values[at]);
    return `${parameters.add(values)}::${column === 'urgency' ? 'int' : 'text'}[]`;
  });
  const inner = sort.filter(({ field }) => !STATES.has(field));
  const beyond: string[] = [];
  if (after) {
    lists.push(
      `${parameters.add(ranges.map(({ from }) => from[0]))}::timestamptz[]`,
      `${parameters.add(ranges.map(({ from }) => from[1]))}::text[]`,
    );
    beyond.push(
      `(t."created_at", t."id") ${inner[0]?.order === SortOrder.ASC ? '>' : '<'} (w."v${walks.length}", w."v${walks.length + 1}")`,
    );
  }
  const equal = walks.map(({ column }, at) => `t."${column}" = w."v${at}"`);
  const rest = conditionsOf({ ...wanted, criteria: without(wanted.criteria, walks) }, parameters);
  const most = parameters.add(length);
  return `select ${columns} from unnest(${lists.join(', ')}) as w(${lists.map((_, at) => `"v${at}"`).join(', ')})
    cross join lateral (
      select ${columns} from "support"."ticket" t where ${[...equal, ...rest, ...beyond].join(' and ')}
      order by ${orderOf(inner)} limit ${most}
    ) r order by ${orderOf(sort)} limit ${most}`;
}

/** Statement for the total number of tickets in a list. */
export function totalStatement(wanted: Wanted): Statement {
  const parameters = new Parameters();
  return { text: `select count(*)::int as total from ${countedOf(wanted, parameters)}`, values: parameters.values };
}

function countedOf(wanted: Wanted, parameters: Parameters): string {
  if (!wanted.criteria.q) return `"support"."ticket" t where ${conditionsOf(wanted, parameters).join(' and ')}`;
  const found = calledOf(wanted, parameters) ?? newestOf(wanted, wordsOf(wanted, parameters), parameters);
  return `(${found}) h`;
}

/**
 * SQL for the search hits with their relevance: the ticket with that number or id, or the tickets that contain the words. Joins
 * the ticket itself if the sort order needs it.
 */
function hitsOf(wanted: Wanted, sort: readonly SortBy[], parameters: Parameters): string {
  const called = calledOf(wanted, parameters);
  if (called) return called;
  const words = wordsOf(wanted, parameters);
  const text = wanted.isDesk ? 'coalesce(x."internal", x."visible")' : 'x."visible"';
  const ranked = `select n."ticket_id" as "id", ts_rank_cd(${text}, ${words.query}, 1)::float8 as "relevance" from (${newestOf(wanted, words, parameters)}) n
    join "support"."ticket_text" x on x."organization_id" = ${words.organization} and x."ticket_id" = n."ticket_id"`;
  if (sort.every(({ field }) => field === 'relevance' || field === 'id')) return ranked;
  return `select t.*, f."relevance" from (${ranked}) f join "support"."ticket" t on t."id" = f."id" where t."organization_id" = ${words.organization}`;
}

/** SQL for the one ticket whose number or id was entered; undefined if the query is words. */
function calledOf(wanted: Wanted, parameters: Parameters): string | undefined {
  const words = (wanted.criteria.q ?? '').trim();
  const name = /^tkt-\d+$/i.test(words) ? 'number' : /^ticket_\w+$/.test(words) ? 'id' : undefined;
  if (!name) return undefined;
  const value = parameters.add(name === 'number' ? words.toUpperCase() : words);
  const equal = name === 'number' ? `length(t."number") = length(${value}) and t."number" = ${value}` : `t."id" = ${value}`;
  return `select t.*, 1::float8 as "relevance" from "support"."ticket" t where ${[...conditionsOf(wanted, parameters), equal].join(' and ')}`;
}

/** SQL expressions for the search query and the organization. */
interface Words {
  query: string;
  organization: string;
}

function wordsOf({ criteria, organizationId, isConverted }: Wanted, parameters: Parameters): Words {
  const words = spelled(criteria.q ?? '');
  const parameter = parameters.add(words);
  const query = isConverted || !ACCENTED.test(words) ? searchQuery(parameter) : transitionalQuery(parameter);
  return { query, organization: parameters.add(organizationId) };
}

/** Any character beyond ASCII. */
const ACCENTED = /[^\0-\x7f]/;

/** SQL for the ids of the newest tickets that contain the words. Ids sort by creation time. */
function newestOf(wanted: Wanted, { query, organization }: Words, parameters: Parameters): string {
  const match = wanted.isDesk ? `(x."visible" @@ ${query} or x."internal" @@ ${query})` : `x."visible" @@ ${query}`;
  const { accountId } = wanted.criteria;
  const isOwn = wanted.hasAccounts && accountId ? [isOneOf('x', 'account_id', accountId, parameters)] : [];
  const narrowed = criteriaOf({ ...wanted.criteria, ...(wanted.hasAccounts && { accountId: null }) }, parameters);
  const tickets =
    narrowed.length > 0 ? `join "support"."ticket" t on t."organization_id" = ${organization} and t."id" = x."ticket_id"` : '';
  const where = [`x."organization_id" = ${organization}`, `numnode(${query}) > 0`, ...isOwn, match, ...narrowed].join(' and ');
  return `select x."ticket_id" from "support"."ticket_text" x ${tickets} where ${where} order by x."ticket_id" desc limit ${HITS_MAX}`;
}

/** An index column and the values to scan; each value is one index range. */
interface Walk {
  column: string;
  values: readonly (string | number)[];
}

/**
 * Returns the walks for reading a page in index order although several values match: one walk for each combination of values,
 * merged.
 * Undefined if a plain statement is better: there is nothing to merge, no index has the order, or the walks together are too
 * long.
 */
function walksOf(criteria: TicketCriteria, sort: readonly SortBy[], length: number): Walk[] | undefined {
  const states = sort.slice(0, -2);
  const inner = sort.slice(-2);
  if (inner.map(({ field }) => field).join() !== 'createdAt,id' || inner[0]?.order !== inner[1]?.order) return undefined;
  if (states.some(({ field }) => !STATES.has(field))) return undefined;
  const ofStates = statesOf(criteria);
  const candidates = states.length > 0 ? [[...accountsOf(criteria), ...ofStates], ofStates] : [narrowest(criteria)];
  const lengthOf = (walks: readonly Walk[]) => walks.reduce((product, { values }) => product * values.length, length);
  return candidates.find((walks) => walks.length > 0 && lengthOf(walks) <= WALKED_MAX);
}

/** Sort keys that are constant within one walk over states, with the column of that walk and the order of its values. */
const STATES: ReadonlyMap<string, { column: string; rank(value: unknown): number }> = new Map([
  ['lifeCycle', { column: 'status', rank: (status: unknown) => LIFE_CYCLE.indexOf(status as string) }],
  ['status', { column: 'status', rank: (status: unknown) => LIFE_CYCLE.toSorted().indexOf(status as string) }],
  ['urgency', { column: 'urgency', rank: (urgency: unknown) => urgency as number }],
]);

/** One value of each walk, and the position after which reading starts. */
interface Range {
  values: readonly (string | number)[];
  from: readonly [createdAt: unknown, id: unknown];
}

/**
 * All combinations of the walks' values. With a cursor, a combination with the cursor's states starts at the cursor. Combinations
 * that come later are read from their beginning, and earlier ones are left out.
 */
function rangesOf(walks: readonly Walk[], sort: readonly SortBy[], after: readonly unknown[] | undefined): Range[] {
  const combinations = walks.reduce<(string | number)[][]>(
    (all, { values }) => all.flatMap((one) => values.map((value) => [...one, value])),
    [[]],
  );
  const inner = sort.findIndex(({ field }) => field === 'createdAt');
  const start = [sort[inner]?.order === SortOrder.ASC ? '-infinity' : 'infinity', ''] as const;
  return combinations.flatMap((values): Range[] => {
    const side = after ? compareStates(values, after, walks, sort) : 1;
    if (side < 0) return [];
    return [{ values, from: side > 0 ? start : [after?.[inner], after?.[inner + 1]] }];
  });
}

/** Compares the states of a combination with the cursor in list order: positive if they come after it, 0 if they are the same. */
function compareStates(values: Range['values'], after: readonly unknown[], walks: readonly Walk[], sort: readonly SortBy[]): number {
  for (const [at, { field, order }] of sort.entries()) {
    const state = STATES.get(field);
    const difference = state ? state.rank(values[walks.findIndex(({ column }) => column === state.column)]) - state.rank(after[at]) : 0;
    if (difference !== 0) return order === SortOrder.ASC ? difference : -difference;
  }
  return 0;
}

function narrowest(criteria: TicketCriteria): Walk[] {
  const { accountId, customerId, serviceAffected, assignedTo, category, status, priority } = criteria;
  if (customerId) return [walk('customer_id', customerId)];
  if (serviceAffected) return [walk('service_affected', serviceAffected)];
  // only the planner knows whether the accounts or the agent (or category) have fewer tickets
  if (accountId && (assignedTo || category)) return [];
  if (assignedTo) return [walk('agent_id', assignedTo), walk('status', status ?? LIFE_CYCLE)];
  if (category) return [walk('category', category), walk('status', status ?? LIFE_CYCLE)];
  return [...accountsOf(criteria), ...(status || priority ? statesOf(criteria) : [])];
}

const accountsOf = ({ accountId }: TicketCriteria): Walk[] => (accountId ? [walk('account_id', accountId)] : []);

const statesOf = ({ status, priority }: TicketCriteria): Walk[] => [
  walk('status', status ?? LIFE_CYCLE),
  walk('urgency', priority?.map((one) => URGENCY[one as TicketPriority]) ?? Object.values(URGENCY)),
];

const walk = (column: string, values: readonly (string | number)[]): Walk => ({ column, values: [...new Set(values)] });

/** The criteria that the walks do not already apply. */
function without(criteria: TicketCriteria, walks: readonly Walk[]): TicketCriteria {
  const met = new Set(walks.map(({ column }) => column));
  return {
    ...criteria,
    ...(met.has('account_id') && { accountId: null }),
    ...(met.has('customer_id') && { customerId: null }),
    ...(met.has('service_affected') && { serviceAffected: null }),
    ...(met.has('agent_id') && { assignedTo: null }),
    ...(met.has('category') && { category: null }),
    ...(met.has('status') && { status: null }),
    ...(met.has('urgency') && { priority: null }),
  };
}

/** Conditions on the ticket `t`. */
const conditionsOf = ({ organizationId, criteria }: Wanted, parameters: Parameters): string[] => [
  `t."organization_id" = ${parameters.add(organizationId)}`,
  ...criteriaOf(criteria, parameters),
];

function criteriaOf(criteria: TicketCriteria, parameters: Parameters): string[] {
  const { status, priority, accountId, customerId, category, assignedTo, serviceAffected, createdAfter, createdBefore } = criteria;
  const lists = {
    status,
    priority,
    account_id: accountId,
    customer_id: customerId,
    category,
    agent_id: assignedTo,
    service_affected: serviceAffected,
  };
  return [
    ...Object.entries(lists).flatMap(([column, values]) => (values ? [isOneOf('t', column, values, parameters)] : [])),
    ...(createdAfter ? [`t."created_at" >= ${parameters.add(createdAfter)}::timestamptz`] : []),
    ...(createdBefore ? [`t."created_at" < ${parameters.add(createdBefore)}::timestamptz`] : []),
  ];
}

/** Uses equality for a single value, which preserves the order of an index. */
const isOneOf = (row: string, column: string, values: readonly string[], parameters: Parameters): string =>
  values.length === 1 ? `${row}."${column}" = ${parameters.add(values[0])}` : `${row}."${column}" = any(${parameters.add(values)}::text[])`;

const columnOf = (field: string): SortField => {
  const found = SORT_FIELDS[field];
  if (!found) throw new Error(`Tickets are not sorted by ${field}.`);
  return found;
};

/** SQL expressions of a sort key, for its column or for a parameter. */
const expressionsOf = ({ orderedBy }: SortField, value: string): string[] => orderedBy?.(value) ?? [value];

const orderOf = (sort: readonly SortBy[]): string =>
  sort
    .flatMap(({ field, order }) => {
      const member = columnOf(field);
      return expressionsOf(member, `"${member.column}"`).map((expression) => `${expression} ${order}`);
    })
    .join(', ');

const keysOf = (sort: readonly SortBy[]): string => sort.map(({ field }) => `"${columnOf(field).column}" as "${field}"`).join(', ');

/**
 * SQL condition for the rows after a key. If all directions are the same, it is a row comparison, which an index can serve. The
 * columns are never null.
 */
function keysetAfter(sort: readonly SortBy[], key: readonly unknown[], parameters: Parameters): string {
  const members = sort.flatMap(({ field, order }, index) => {
    const member = columnOf(field);
    const values = expressionsOf(member, `${parameters.add(key[index])}::${member.type}`);
    return expressionsOf(member, `"${member.column}"`).map((expression, at) => ({
      expression,
      value: values[at],
      beyond: order === SortOrder.ASC ? '>' : '<',
    }));
  });
  const [first] = members;
  if (first && members.every(({ beyond }) => beyond === first.beyond)) {
    const [expressions, values] = [members.map(({ expression }) => expression), members.map(({ value }) => value)];
    return `(${expressions.join(', ')}) ${first.beyond} (${values.join(', ')})`;
  }
  const branches = members.map(({ expression, value, beyond }, index) => {
    const equal = members.slice(0, index).map((before) => `${before.expression} = ${before.value}`);
    return `(${[...equal, `${expression} ${beyond} ${value}`].join(' and ')})`;
  });
  return `(${branches.join(' or ')})`;
}
