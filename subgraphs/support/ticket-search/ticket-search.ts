import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Backfill } from '../../../kernel/database/backfill.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { type Page, type PageInput, type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import type { SelectedFields } from '../../../kernel/graphql/selected-fields.ts';
import { Parameters } from '../../../kernel/lists/parameters.ts';
import { isNewest, recordPage } from '../../../kernel/lists/record-page.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { isCursorOf } from '../../../kernel/records/pagination.ts';
import type { Counters } from '../../../kernel/tally/counters.ts';
import type { Ticket } from '../tickets/ticket.entity.ts';
import { filterOf, type TicketCriteria } from './ticket-criteria.ts';
import { countedHitsOf, hitsOf } from './ticket-hits.ts';
import type { TicketQuery } from './ticket-query.ts';
import { TICKETS } from './ticket-ranges.ts';

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
    private readonly counters: Counters,
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
    const { reader, rows, tickets: records } = this;
    const filter = filterOf(reader.organizationId, { ...criteria, accountId: reader.accounts });
    const words = criteria.q ?? '';
    const query = { filter, words, isDesk: reader.isDesk, isConverted: this.accents.isDone, hasAccounts: this.textAccounts.isDone };
    const order = continued(totalOrder(criteria, sort), page.cursor);
    const source = words ? (parameters: Parameters) => hitsOf(query, order, parameters) : undefined;
    const total = () => (words ? this.#countHits(query) : this.counters.total(filter));
    const isFirst = isNewest(criteria, sort, page);
    return recordPage({ table: TICKETS, filter, sort: order, source }, { rows, records, total, isNewest: isFirst, fields }, page);
  }

  async #countHits(query: TicketQuery): Promise<number> {
    const parameters = new Parameters();
    const text = `select count(*)::int as total from (${countedHitsOf(query, parameters)}) h`;
    const [row] = await this.rows.query<{ total: number }>(text, parameters.values);
    return row?.total ?? 0;
  }
}

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
 * Translates cursors of release 1.2, so that they stay valid. That release sorted `status` alphabetically, and a list whose first page came
 * from release 1.2 continues in that order, without gaps or repetitions. Release 1.2 rejects cursors of this release with status 400,
 * because the sort key has another name.
 */
function continued(order: SortBy[], cursor: string | null | undefined): SortBy[] {
  const alphabetical = order.map((one) => (one.field === 'lifeCycle' ? { ...one, field: 'status' } : one));
  return cursor && isCursorOf(cursor, alphabetical) ? alphabetical : order;
}

const by = (field: string, order: SortOrder): SortBy => ({ field, order });
