import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Page, PageInput, SortBy } from '../../../kernel/graphql/page.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { matching } from '../../../kernel/records/where.ts';
import type { CatalogPriceChangeFilter } from './catalog-management.inputs.ts';
import { CatalogPriceChange } from './catalog-price-change.entity.ts';

/** Lists the history of prices in the catalog. */
export class CatalogPricesService {
  constructor(private readonly em: EntityManager) {}

  list({ catalogId, item }: CatalogPriceChangeFilter, sort: readonly SortBy[], page: PageInput): Promise<Page<CatalogPriceChange>> {
    const where = matching<CatalogPriceChange>({ catalogId, item });
    return listPage(this.em, CatalogPriceChange, { where, defaultSort: sort, page });
  }
}
