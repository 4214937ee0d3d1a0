import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput, SortOrder } from '../../../kernel/graphql/page.ts';
import { pageFrom } from '../../../kernel/records/pagination.ts';
import { TimelineStore } from './timeline.store.ts';
import type { TimelineEntry } from './timeline.types.ts';

/** Sort order of the timeline. Records of different kinds may have the same time, but they have different ids. */
const SORT = [...NEWEST_FIRST, { field: 'id', order: SortOrder.DESC }];
const PROPERTIES = { createdAt: { runtimeType: 'Date' }, id: { runtimeType: 'string' } };

/**
 * Lists the events in the history of services, ordered by the time at which each record was created, newest first. The number of statements
 * does not depend on the number of services: one for the entries, and one for the totals.
 */
export class TimelineService {
  readonly #store: TimelineStore;

  constructor(rows: Rows, scope: RecordScope) {
    this.#store = new TimelineStore(rows, scope);
  }

  /** Returns a part of the timeline of a service. @throws InvalidParameters for a cursor of another list */
  page(serviceId: string, page: PageInput): Promise<Page<TimelineEntry>> {
    const source = {
      properties: PROPERTIES,
      rows: (_: unknown, window: Parameters<TimelineStore['entries']>[1]) => this.#store.entries(serviceId, window),
      total: () => this.#store.total(serviceId),
    };
    return pageFrom<TimelineEntry>(source, SORT, page);
  }
}
