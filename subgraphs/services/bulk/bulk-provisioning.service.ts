import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { OrderAccount } from '../accounts/order-account.ts';
import { enqueueBuilds } from '../changes/converge-queue.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceHold } from '../inventory/service.states.ts';
import type { OrderService } from '../orders/order.service.ts';
import { productOf } from '../products/registry.ts';
import { statusChange } from '../status/service-transition.ts';
import type { Bulk } from './bulk.entity.ts';
import type { BulkProvisionInput, BulkServiceInput } from './bulk.inputs.ts';
import { BulkItemStatus, BulkKind } from './bulk.states.ts';
import type { BulkItem } from './bulk-item.entity.ts';
import { type CheckedItem, checkItems } from './bulk-orders.ts';
import { BulkProgress } from './bulk-progress.ts';
import { itemErrorOf, newBulk } from './new-bulk.ts';

export interface BulkProvisioningDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  jobs: Jobs;
  orders: OrderService;
  account: OrderAccount;
}

/** Orders many services with one request (specification 2.5, 4.3). */
export class BulkProvisioningService {
  constructor(private readonly deps: BulkProvisioningDeps) {}

  /**
   * Orders the services. One transaction stores the bulk and all services. An item that cannot be ordered becomes `failed`. With
   * `rollbackOnFailure`, the whole bulk is refused instead.
   * @throws InvalidParameters for malformed items. With `rollbackOnFailure`, it is thrown for any item that cannot be ordered
   */
  async provision({ services: inputs, orchestration }: BulkProvisionInput): Promise<Bulk> {
    const { parallel = true, rollbackOnFailure = false } = orchestration ?? {};
    const checked = await checkItems(this.deps, inputs, rollbackOnFailure);
    const { principal } = this.deps.request;
    const accounts = checked.flatMap(({ accountId }) => accountId ?? []);
    const [bulk, items] = newBulk(principal, BulkKind.PROVISION, accounts, inputs.length, this.deps.clock.now());
    Object.assign(bulk, { parallel, rollbackOnFailure });
    return this.deps.em.transactional(async (tx) => {
      tx.persist([bulk, ...items]);
      const services: Service[] = [];
      for (const [index, item] of items.entries()) {
        const service = await this.#store(tx, bulk, items, item, [checked[index] as CheckedItem, inputs[index] as BulkServiceInput]);
        if (service) services.push(service);
      }
      const progress = new BulkProgress(this.deps);
      if (bulk.parallel && services.length > 0) await enqueueBuilds(this.deps.jobs, tx, services);
      if (bulk.parallel) await progress.settle(tx, bulk, items);
      else {
        await tx.flush();
        await progress.advance(tx, bulk);
      }
      return bulk;
    });
  }

  /** Stores the service of an item. Returns null if the item was rejected, or if it is skipped because an earlier item was rejected. */
  async #store(
    tx: EntityManager,
    bulk: Bulk,
    items: readonly BulkItem[],
    item: BulkItem,
    [checked, input]: [CheckedItem, BulkServiceInput],
  ): Promise<Service | null> {
    if (!bulk.parallel && items.some(({ status }) => status === BulkItemStatus.FAILED)) {
      item.moveTo(BulkItemStatus.SKIPPED);
      return null;
    }
    if ('refused' in checked) {
      item.moveTo(BulkItemStatus.FAILED, itemErrorOf(checked.refused));
      return null;
    }
    const { location = null, name } = input;
    const { accountId, billingCycle } = checked;
    const service = this.deps.orders.create(checked.terms, { accountId, location, billingCycle, name });
    service.bulkId = bulk.id;
    service.held = bulk.rollbackOnFailure ? ServiceHold.BUILDING : null;
    item.serviceId = service.id;
    tx.persist([service, statusChange(service, null)]);
    await productOf(service.type).stored?.(tx, service);
    return service;
  }
}
