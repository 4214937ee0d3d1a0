import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { ResourceNotFound } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { matching } from '../../../kernel/records/where.ts';
import type { Service } from '../inventory/service.entity.ts';
import { Bulk } from './bulk.entity.ts';
import type { BulkFilter, BulkStatusInput } from './bulk.inputs.ts';
import type { BulkServiceStatus, BulkStatusReport } from './bulk.types.ts';
import type { BulkItem } from './bulk-item.entity.ts';
import { BulkProgress } from './bulk-progress.ts';
import { itemErrorOf } from './new-bulk.ts';

export interface BulkServiceDeps {
  em: EntityManager;
  clock: Clock;
  jobs: Jobs;
  loaders: { bulks: RecordLoader<Bulk>; bulkItems: RecordLoader<BulkItem>; services: RecordLoader<Service> };
}

/** Finds, lists and cancels bulks. */
export class BulkService {
  constructor(private readonly deps: BulkServiceDeps) {}

  find(id: string): Promise<Bulk | null> {
    return this.deps.loaders.bulks.load(id);
  }

  list({ status, kind, accountId }: BulkFilter, sort: SortBy[], page: PageInput): Promise<Page<Bulk>> {
    return listPage(this.deps.em, Bulk, { where: matching<Bulk>({ status, kind, accountId }), sort, page, defaultSort: NEWEST_FIRST });
  }

  /** Lists the items of a bulk in the order of the request. */
  items({ id }: Bulk): Promise<BulkItem[]> {
    return this.deps.loaders.bulkItems.of('bulkId', id, 'position');
  }

  /**
   * Cancels a bulk. A bulk with `rollbackOnFailure` is rolled back. In any other bulk, items that have not begun are skipped, and items
   * that have begun continue.
   * @throws ResourceNotFound, InvalidState
   */
  cancel(id: string): Promise<Bulk> {
    return this.deps.em.transactional(async (tx) => {
      const bulk = orNotFound(await tx.findOne(Bulk, { id }, LOCKED), 'bulk', id);
      await new BulkProgress(this.deps).cancel(tx, bulk);
      return bulk;
    });
  }

  /**
   * Returns the status of the services in `serviceIds`, or of the services of a bulk, with one entry for each id or item,
   * in the same order. If a service in `serviceIds` does not exist, its entry contains an error.
   * @throws ResourceNotFound if the bulk does not exist
   */
  async status({ serviceIds, bulkId }: BulkStatusInput): Promise<BulkStatusReport> {
    if (!bulkId) return { bulk: null, services: await this.#statusOf((serviceIds ?? []).map((serviceId) => ({ serviceId }))) };
    const bulk = orNotFound(await this.find(bulkId), 'bulk', bulkId);
    return { bulk, services: await this.#statusOf(await this.items(bulk)) };
  }

  async #statusOf(entries: readonly (BulkItem | { serviceId: string })[]): Promise<BulkServiceStatus[]> {
    const services = await Promise.all(entries.map(({ serviceId }) => (serviceId ? this.deps.loaders.services.load(serviceId) : null)));
    return entries.map((entry, index) => {
      const { status = null, statusReason = null, updatedAt = null } = services[index] ?? {};
      const known = { serviceId: entry.serviceId, status, statusReason, updatedAt };
      if ('bulkId' in entry) return { ...known, itemStatus: entry.status, changeId: entry.changeId, error: entry.error };
      const error = status ? null : itemErrorOf(new ResourceNotFound('service', entry.serviceId));
      return { ...known, itemStatus: null, changeId: null, error };
    });
  }
}
