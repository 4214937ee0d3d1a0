import { type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import { firstSeen, LOOKED_AT } from '../../../kernel/records/first-seen.ts';
import type { Window } from '../../../kernel/records/pagination.ts';
import { type TicketPriority, URGENCY } from '../ticket.states.ts';
import { searchQuery, spelled, transitionalQuery } from '../words.ts';
import { Parameters } from './parameters.ts';
import type { TicketCriteria } from './ticket.criteria.ts';
import { LIFE_CYCLE, SORT_FIELDS, type SortField } from './ticket.sort.ts';

/** Rows that all walks together may read: past this, it is cheaper to look at all that match. */
const WALKED_MAX = 20_000;
/** Words that many tickets hold would have to be looked up in all of them: the newest that match are ranked. */
export const HITS_MAX = 1000;

export interface Statement {
  text: string;
  values: unknown[];
}

/** What of an organization's tickets a statement is about. */
export interface Wanted {
  organizationId: string;
  criteria: TicketCriteria;
  /** Whether internal comments count as a ticket's text. */
  isDesk: boolean;
  /** Whether all texts are searched without accents; until then they are searched with them too (ticket.text.ts). */
  isConverted: boolean;
  /** Whether all texts say whose account they are of; until then their tickets are asked (ticket.text.ts). */
  hasAccounts: boolean;
}

/** The ids of a page, with the fields that they are sorted by. */
export function pageStatement(wanted: Wanted, sort: readonly SortBy[], window: Window): Statement {
  const parameters = new Parameters();
  const page = `limit ${parameters.add(window.limit)} offset ${parameters.add(window.offset)}`;
  const text = `select ${keysOf(sort)} from (${rowsOf(wanted, sort, window, parameters)}) p order by ${orderOf(sort)} ${page}`;
  return { text, values: parameters.values };
}

/** What a list is read by: its first `length` rows, or the `length` rows after a key. */
interface Stretch {
  length: number;
  after?: readonly unknown[] | undefined;
}

/** SQL of the rows up to the end of the page. */
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

/** The rows of a list in its order, by an index where one has that order. `more` columns are read besides those of the order. */
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

/** Each walk is one range of an index, in its order: of each as much is read as the page could need. */
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

/** How many tickets the whole list has. */
export function totalStatement(wanted: Wanted): Statement {
  const parameters = new Parameters();
  return { text: `select count(*)::int as total from ${countedOf(wanted, parameters)}`, values: parameters.values };
}

function countedOf(wanted: Wanted, parameters: Parameters): string {
  if (!wanted.criteria.q) return `"support"."ticket" t where ${conditionsOf(wanted, parameters).join(' and ')}`;
  const found = calledOf(wanted, parameters) ?? newestOf(wanted, wordsOf(wanted, parameters), parameters);
  return `(${found}) h`;
}

/** What is called by name or holds the words, with how well it fits; with the rest of the ticket where the order needs it. */
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

/** The one ticket that the words are the number or the id of; undefined where they are words. */
function calledOf(wanted: Wanted, parameters: Parameters): string | undefined {
  const words = (wanted.criteria.q ?? '').trim();
  const name = /^tkt-\d+$/i.test(words) ? 'number' : /^ticket_\w+$/.test(words) ? 'id' : undefined;
  if (!name) return undefined;
  const value = parameters.add(name === 'number' ? words.toUpperCase() : words);
  const equal = name === 'number' ? `length(t."number") = length(${value}) and t."number" = ${value}` : `t."id" = ${value}`;
  return `select t.*, 1::float8 as "relevance" from "support"."ticket" t where ${[...conditionsOf(wanted, parameters), equal].join(' and ')}`;
}

/** Where the words and the organization stand among the parameters. */
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

/** The ids of the newest that hold the words: the later an id, the later its ticket was opened. */
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

/** A column of an index, and the values of which each is a range of it. */
interface Walk {
  column: string;
  values: readonly (string | number)[];
}

/**
 * How to read a page in the order of an index although several values match: as one walk for each combination of values, merged.
 * Undefined where a plain statement serves: nothing to merge, an order that no index of these has, or walks too long in sum.
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

/** Sort keys that are the same within one walk over the states, with the column of that walk and the order of its values. */
const STATES: ReadonlyMap<string, { column: string; rank(value: unknown): number }> = new Map([
  ['lifeCycle', { column: 'status', rank: (status: unknown) => LIFE_CYCLE.indexOf(status as string) }],
  ['status', { column: 'status', rank: (status: unknown) => LIFE_CYCLE.toSorted().indexOf(status as string) }],
  ['urgency', { column: 'urgency', rank: (urgency: unknown) => urgency as number }],
]);

/** One value of each walk, and the position behind which it is read. */
interface Range {
  values: readonly (string | number)[];
  from: readonly [createdAt: unknown, id: unknown];
}

/**
 * Every combination of the walks' values. Behind a cursor a range begins at its position where the range's states are the
 * cursor's, is read whole where they come later, and is left out where they come before.
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

/** Positive where tickets of these states come after the cursor in the list, 0 where they are those of the cursor. */
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
  // whether the accounts or the desk have fewer such tickets, the planner knows
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

/** The criteria that the walks do not meet by themselves. */
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

/** Of the ticket `t`. */
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

/** One value is an equality, which keeps the order of an index. */
const isOneOf = (row: string, column: string, values: readonly string[], parameters: Parameters): string =>
  values.length === 1 ? `${row}."${column}" = ${parameters.add(values[0])}` : `${row}."${column}" = any(${parameters.add(values)}::text[])`;

const columnOf = (field: string): SortField => {
  const found = SORT_FIELDS[field];
  if (!found) throw new Error(`Tickets are not sorted by ${field}.`);
  return found;
};

/** A sort key in SQL, of its column or of a parameter. */
const expressionsOf = ({ orderedBy }: SortField, value: string): string[] => orderedBy?.(value) ?? [value];

const orderOf = (sort: readonly SortBy[]): string =>
  sort
    .flatMap(({ field, order }) => {
      const member = columnOf(field);
      return expressionsOf(member, `"${member.column}"`).map((expression) => `${expression} ${order}`);
    })
    .join(', ');

const keysOf = (sort: readonly SortBy[]): string => sort.map(({ field }) => `"${columnOf(field).column}" as "${field}"`).join(', ');

/** The rows behind a key. In one direction it is a comparison of rows, which an index of that order answers. No column is null. */
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
