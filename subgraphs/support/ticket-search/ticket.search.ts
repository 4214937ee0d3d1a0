import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Backfill } from '../../../kernel/database/backfill.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { type Page, type PageInput, type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import type { SelectedFields } from '../../../kernel/graphql/selected-fields.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { isCursorOf, type Properties, pageFrom, type Window } from '../../../kernel/records/pagination.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import type { TicketCriteria } from './ticket.criteria.ts';
import { pageStatement, type Statement, totalStatement, type Wanted } from './ticket.search.sql.ts';
import { SORT_FIELDS } from './ticket.sort.ts';
import type { TicketCounters } from './ticket-counters.ts';

/** What members of a sort look like, for cursors. */
const PROPERTIES: Properties = SORT_FIELDS;

/** A row of a page: the id and what it is sorted by. */
interface Key extends Record<string, unknown> {
  id: string;
}

/** Whose tickets, and whether what agents write for each other is searched too. */
export interface Reader extends RecordScope {
  isDesk: boolean;
}

/**
 * Finds tickets (specification 2.7, ticket search). Ids come from an index in the order of the list, the records then by their ids;
 * the newest come as they are.
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
   * Newest first, or the most relevant where words are searched. `members`: those that are read of each.
   * @throws InvalidParameters for a cursor of another list
   */
  async page(criteria: TicketCriteria, sort: readonly SortBy[], page: PageInput, fields: SelectedFields): Promise<Page<Ticket>> {
    const seen = { ...criteria, accountId: this.reader.accounts };
    const wanted: Wanted = { ...this.reader, criteria: seen, isConverted: this.accents.isDone, hasAccounts: this.textAccounts.isDone };
    const order = continued(totalOrder(criteria, sort), page.cursor);
    const total = () => this.#total(wanted);
    if (isNewest(criteria, sort, page)) {
      const rows = (_: unknown, { limit }: Window) => this.tickets.recent(limit, fields);
      return pageFrom<Ticket>({ properties: PROPERTIES, rows, total }, order, page);
    }
    const rows = (_: unknown, window: Window) => this.#keys(pageStatement(wanted, order, window), order);
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

  async #total(wanted: Wanted): Promise<number> {
    if (this.counters.knows(wanted.criteria)) return this.counters.count(this.reader.organizationId, wanted.criteria);
    const { text, values } = totalStatement(wanted);
    const [row] = await this.rows.query<{ total: number }>(text, values);
    return row?.total ?? 0;
  }
}

/** What a list begins with, and most often is: it needs no search. */
const isNewest = (criteria: TicketCriteria, sort: readonly SortBy[], { page, offset, cursor }: PageInput): boolean =>
  sort.length === 0 &&
  !cursor &&
  !offset &&
  (page ?? 1) === 1 &&
  Object.values(criteria).every((value) => value === undefined || value === null);

/**
 * The order asked for, made total: tickets of the same state are sorted by when they were opened. A field named a second time
 * changes nothing and is left out, so that the statement has a bound.
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
 * Release 1.2 sorted `status` by the alphabet. A list that began there continues in that order, without a gap or a repetition. The
 * other way round, that release refuses cursors of this one with 400, because the name of the sort key differs.
 */
function continued(order: SortBy[], cursor: string | null | undefined): SortBy[] {
  const alphabetical = order.map((one) => (one.field === 'lifeCycle' ? { ...one, field: 'status' } : one));
  return cursor && isCursorOf(cursor, alphabetical) ? alphabetical : order;
}

const by = (field: string, order: SortOrder): SortBy => ({ field, order });
