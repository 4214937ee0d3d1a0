import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { ServiceUpdateService } from '../changes/service-update.service.ts';
import { Service } from '../inventory/service.entity.ts';
import type { Bulk } from './bulk.entity.ts';
import { BulkItemStatus, BulkKind } from './bulk.states.ts';
import { followChange } from './bulk-changes.ts';
import type { BulkItem } from './bulk-item.entity.ts';
import type { BulkChange, BulkChangeInput } from './bulk-modification.inputs.ts';
import { BulkProgress } from './bulk-progress.ts';
import { itemErrorOf, newBulk } from './new-bulk.ts';

export interface BulkModificationDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  jobs: Jobs;
}

interface WantedItem {
  id: string;
  change: BulkChange;
}

/** Changes many services with one request (specification 4.3). */
export class BulkModificationService {
  constructor(private readonly deps: BulkModificationDeps) {}

  /**
   * Orders a change of each service. All changes are ordered in one transaction, with a savepoint for each, so that the bulk is stored with
   * all its results or not at all. A service that cannot be changed is a `failed` item.
   */
  modify(input: BulkChangeInput): Promise<Bulk> {
    const wanted = wantedOf(input);
    return this.deps.em.transactional(async (tx) => {
      const accounts = await tx.find(
        Service,
        { id: { $in: wanted.map(({ id }) => id) } },
        { fields: ['accountId'], disableIdentityMap: true },
      );
      const [bulk, items] = newBulk(
        this.deps.request.principal,
        BulkKind.MODIFY,
        accounts.map(({ accountId }) => accountId),
        wanted.length,
        this.deps.clock.now(),
      );
      const updates = new ServiceUpdateService({ ...this.deps, em: tx });
      const pairs = wanted.map((one, index) => ({ ...one, item: items[index] as BulkItem }));
      // services are locked in the order of their ids, so that two bulks cannot deadlock
      for (const { id, change, item } of pairs.sort((one, other) => (one.id < other.id ? -1 : 1)))
        await modified(updates, bulk, item, id, change);
      tx.persist([bulk, ...items]);
      await new BulkProgress(this.deps).settle(tx, bulk, items);
      return bulk;
    });
  }
}

function wantedOf({ serviceIds, services, ...change }: BulkChangeInput): WantedItem[] {
  if (services) return services.map(({ serviceId, ...own }) => ({ id: serviceId, change: own }));
  return (serviceIds ?? []).map((id) => ({ id, change }));
}

async function modified(updates: ServiceUpdateService, bulk: Bulk, item: BulkItem, id: string, wanted: BulkChange): Promise<void> {
  try {
    const { change } = await updates.modify(id, wanted, bulk.id);
    item.serviceId = id;
    item.changeId = change?.id ?? null;
    if (change) followChange(item, change);
    else item.moveTo(BulkItemStatus.COMPLETED);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    item.serviceId = id;
    item.moveTo(BulkItemStatus.FAILED, itemErrorOf(error));
  }
}
