import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Backfill } from '../../../kernel/database/backfill.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { type Page, type PageInput, type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import type { SelectedFields } from '../../../kernel/graphql/selected-fields.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { isCursorOf, type Properties, pageFrom, type Window } from '../../../kernel/records/pagination.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import type { TicketCounters } from './ticket-counters.ts';
import type { TicketCriteria } from './ticket-criteria.ts';
import type { TicketQuery } from './ticket-query.ts';
import { pageStatement, type Statement, totalStatement } from './ticket-search-statements.ts';
import { SORT_FIELDS } from './ticket-sort.ts';

/** Types of the sort fields, for cursors. */
const PROPERTIES: Properties = SORT_FIELDS;

/** Row of a page: the id of a ticket, and the fields by which the page is sorted. */
interface Key extends Record<string, unknown> {
  id: string;
}

/** Scope of the search: the tickets that the reader may read, and whether internal comments are searched. */
export interface Reader extends RecordScope {
  isDesk: boolean;
}

/**
 * Finds tickets (specification 2.7, ticket search). First reads the ids from an index in list order, and then the
 * records by id. The default list, with the newest tickets, is read in one step.
 */
export class TicketSearch {
  constructor(
    private readonly rows: Rows,
    private readonly counters: TicketCounters,
    private readonly reader: Reader,
    private readonly tickets: RecordLoader<Ticket>,
    private readonly accents: Backfill,
    private readonly textAccounts: Backfill,
  ) {}

  /**
   * Lists tickets, newest first by default, or most relevant first if there are search words. `fields` are the ticket fields to
   * read.
   * @throws InvalidParameters for a cursor of another list
   */
  async page(criteria: TicketCriteria, sort: readonly SortBy[], page: PageInput, fields: SelectedFields): Promise<Page<Ticket>> {
    const seen = { ...criteria, accountId: this.reader.accounts };
    const query: TicketQuery = { ...this.reader, criteria: seen, isConverted: this.accents.isDone, hasAccounts: this.textAccounts.isDone };
    const order = continued(totalOrder(criteria, sort), page.cursor);
    const total = () => this.#total(query);
    if (isNewest(criteria, sort, page)) {
      const rows = (_: unknown, { limit }: Window) => this.tickets.recent(limit, fields);
      return pageFrom<Ticket>({ properties: PROPERTIES, rows, total }, order, page);
    }
    const rows = (_: unknown, window: Window) => this.#keys(pageStatement(query, order, window), order);
    const { nodes, pageInfo } = await pageFrom<Key>({ properties: PROPERTIES, rows, total }, order, page);
    const ids = nodes.map(({ id }) => id);
    return { nodes: await this.tickets.all(ids, fields), pageInfo };
  }

  async #keys({ text, values }: Statement, order: readonly SortBy[]): Promise<Key[]> {
    const rows = await this.rows.query<Record<string, unknown>>(text, values);
    const instants = order.map(({ field }) => field).filter((field) => PROPERTIES[field]?.runtimeType === 'Date');
    for (const row of rows) for (const field of instants) row[field] = new Date(row[field] as Date | string);
    return rows as Key[];
  }

  async #total(query: TicketQuery): Promise<number> {
    if (this.counters.supports(query.criteria)) return this.counters.count(this.reader.organizationId, query.criteria);
    const { text, values } = totalStatement(query);
    const [row] = await this.rows.query<{ total: number }>(text, values);
    return row?.total ?? 0;
  }
}

/** Returns whether the request is for the first page of the default list. This most common request needs no search. */
const isNewest = (criteria: TicketCriteria, sort: readonly SortBy[], { page, offset, cursor }: PageInput): boolean =>
  sort.length === 0 &&
  !cursor &&
  !offset &&
  (page ?? 1) === 1 &&
  Object.values(criteria).every((value) => value === undefined || value === null);

/**
 * Adds sort fields to the requested order, so that the order of any two tickets is defined. For example, tickets with
 * the same status are sorted by creation time. Removes repeated sort fields, because they have no effect and would
 * lengthen the statement.
 */
function totalOrder({ q }: TicketCriteria, asked: readonly SortBy[]): SortBy[] {
  if (asked.length === 0 && q) return [by('relevance', SortOrder.DESC), by('id', SortOrder.DESC)];
  const order = asked.at(-1)?.order ?? SortOrder.DESC;
  const isOfStates = asked.every(({ field }) => field === 'lifeCycle' || field === 'urgency');
  const all = [...asked, ...(isOfStates ? [by('createdAt', order)] : []), by('id', order)];
  const seen = new Set<string>();
  return all.filter(({ field }) => !seen.has(field) && seen.add(field));
}

/**
 * Keeps cursors of release 1.2 valid. That release sorted `status` alphabetically, and a list whose first page came
 * from release 1.2 continues in that order, without gaps or repetitions. Release 1.2 rejects cursors of this release
 * with status 400, because the sort key has another name.
 */
function continued(order: SortBy[], cursor: string | null | undefined): SortBy[] {
  const alphabetical = order.map((one) => (one.field === 'lifeCycle' ? { ...one, field: 'status' } : one));
  return cursor && isCursorOf(cursor, alphabetical) ? alphabetical : order;
}

const by = (field: string, order: SortOrder): SortBy => ({ field, order });
