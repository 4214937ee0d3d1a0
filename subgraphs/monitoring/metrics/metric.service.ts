import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { type Page, type PageInput, SortOrder } from '../../../kernel/graphql/page.ts';
import { pageFrom } from '../../../kernel/records/pagination.ts';
import type { MetricQuery } from './metric.inputs.ts';
import { MetricStore } from './metric.store.ts';
import type { Metric } from './metric.types.ts';

/** Sort order of metrics. The name of a metric is unique, so it is used as the id. */
const SORT = [{ field: 'id', order: SortOrder.ASC }];
const PROPERTIES = { id: { runtimeType: 'string' } };

/** Lists the metrics of an organization. */
export class MetricService {
  readonly #store: MetricStore;

  constructor(rows: Rows, scope: RecordScope) {
    this.#store = new MetricStore(rows, scope);
  }

  /**
   * Returns a page of metrics, sorted by name.
   * @throws InvalidParameters for a cursor of another list
   */
  list(query: MetricQuery, page: PageInput): Promise<Page<Metric>> {
    const source = {
      properties: PROPERTIES,
      rows: async (_: unknown, window: Parameters<MetricStore['list']>[1]) =>
        (await this.#store.list(query, window)).map((metric) => ({ ...metric, id: metric.name })),
      total: () => this.#store.count(query),
    };
    return pageFrom(source, SORT, page);
  }
}
