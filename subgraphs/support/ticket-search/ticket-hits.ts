import type { SortBy } from '../../../kernel/graphql/page.ts';
import type { Parameters } from '../../../kernel/lists/parameters.ts';
import { conditionsOf, criteriaOf, isOneOf } from '../../../kernel/lists/row-filter.ts';
import { searchQuery, spelled, transitionalQuery } from '../words.ts';
import type { TicketQuery } from './ticket-query.ts';

/**
 * Maximum number of hits of a search. If more tickets contain the words, only the newest of these tickets are hits,
 * because computing the relevance reads the text of each hit.
 */
export const HITS_MAX = 1000;

/**
 * Returns SQL for the search hits with their relevance. If the number or id of a ticket was entered, this ticket is the
 * only hit. Otherwise, the hits are the tickets that contain the words. The SQL joins the ticket table only if the sort
 * order needs its columns.
 */
export function hitsOf(query: TicketQuery, sort: readonly SortBy[], parameters: Parameters): string {
  const named = namedTicketOf(query, parameters);
  if (named) return named;
  const words = wordsOf(query, parameters);
  const text = query.isDesk ? 'coalesce(x."internal", x."visible")' : 'x."visible"';
  const ranked = `select n."ticket_id" as "id", ts_rank_cd(${text}, ${words.query}, 1)::float8 as "relevance" from (${newestOf(query, words, parameters)}) n
    join "support"."ticket_text" x on x."organization_id" = ${words.organization} and x."ticket_id" = n."ticket_id"`;
  if (sort.every(({ field }) => field === 'relevance' || field === 'id')) return ranked;
  return `select t.*, f."relevance" from (${ranked}) f join "support"."ticket" t on t."id" = f."id" where t."organization_id" = ${words.organization}`;
}

/** Returns SQL for the search hits without their relevance, for a statement that only counts them. */
export const countedHitsOf = (query: TicketQuery, parameters: Parameters): string =>
  namedTicketOf(query, parameters) ?? newestOf(query, wordsOf(query, parameters), parameters);

/** Returns SQL for the ticket whose number or id was entered; undefined if search words were entered. */
function namedTicketOf(query: TicketQuery, parameters: Parameters): string | undefined {
  const words = query.words.trim();
  const name = /^tkt-\d+$/i.test(words) ? 'number' : /^ticket_\w+$/.test(words) ? 'id' : undefined;
  if (!name) return undefined;
  const value = parameters.add(name === 'number' ? words.toUpperCase() : words);
  const equal = name === 'number' ? `length(t."number") = length(${value}) and t."number" = ${value}` : `t."id" = ${value}`;
  return `select t.*, 1::float8 as "relevance" from "support"."ticket" t where ${[...conditionsOf(query.filter, parameters), equal].join(' and ')}`;
}

/** SQL expressions for the search words and the id of the organization. */
interface Words {
  query: string;
  organization: string;
}

function wordsOf({ filter, words: entered, isConverted }: TicketQuery, parameters: Parameters): Words {
  const words = spelled(entered);
  const parameter = parameters.add(words);
  const query = isConverted || !NOT_ASCII.test(words) ? searchQuery(parameter) : transitionalQuery(parameter);
  return { query, organization: parameters.add(filter.organizationId) };
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Returns SQL for the ids of the newest tickets that contain the words. The order of ids is the order of creation. */
function newestOf(query: TicketQuery, words: Words, parameters: Parameters): string {
  const { isDesk, hasAccounts, filter } = query;
  const match = isDesk ? `(x."visible" @@ ${words.query} or x."internal" @@ ${words.query})` : `x."visible" @@ ${words.query}`;
  const { account_id: accounts } = filter.values;
  const isOwn = hasAccounts && accounts ? [isOneOf('x', 'account_id', accounts, parameters)] : [];
  const narrowed = criteriaOf({ ...filter, values: { ...filter.values, ...(hasAccounts && { account_id: null }) } }, parameters);
  const tickets =
    narrowed.length > 0 ? `join "support"."ticket" t on t."organization_id" = ${words.organization} and t."id" = x."ticket_id"` : '';
  const where = [`x."organization_id" = ${words.organization}`, `numnode(${words.query}) > 0`, ...isOwn, match, ...narrowed];
  return `select x."ticket_id" from "support"."ticket_text" x ${tickets} where ${where.join(' and ')} order by x."ticket_id" desc limit ${HITS_MAX}`;
}
