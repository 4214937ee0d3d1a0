import { migration } from '../../../kernel/migrations/migration.ts';

/**
 * Adds an index of the trigrams of `search_text`, and an index for lists by price. It is a separate migration, so that services can be read
 * while the indexes are built.
 */
export const serviceSearchIndexes = migration('0021-service-search-indexes', [
  `create index "service_search_text_index" on "services"."service" using gin ("organization_id", "search_text" gin_trgm_ops) with (gin_pending_list_limit = 512)`,
  `create index "service_organization_id_monthly_price_id_index" on "services"."service" ("organization_id", "monthly_price", "id")`,
]);
