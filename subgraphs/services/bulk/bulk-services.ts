import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { enqueueConverge } from '../changes/converge-queue.ts';
import { move } from '../changes/service-move.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceHold, ServiceStatus } from '../inventory/service.states.ts';
import { BulkItemStatus } from './bulk.states.ts';
import type { BulkItem } from './bulk-item.entity.ts';
import { itemStateOf, type ObservedService } from './bulk-item-state.ts';

const OBSERVED = ['id', 'status', 'statusReason', 'held', 'provisionedAt', 'providerReference', 'askedAt'] as const;

/**
 * The services of the items of a locked bulk. Each method locks the services that it changes, in the order of their
 * ids. A transaction that locks a service never waits for a bulk, so transactions cannot deadlock.
 */
export class BulkServices {
  constructor(
    private readonly tx: EntityManager,
    private readonly jobs: Jobs,
    private readonly now: Date,
  ) {}

  /** Sets the state of each item from its service. Reads the services without locking them. */
  async observe(items: readonly BulkItem[]): Promise<void> {
    const ids = idsOf(items);
    if (ids.length === 0) return;
    const found = await this.tx.find(Service, { id: { $in: ids } }, { fields: OBSERVED, disableIdentityMap: true });
    follow(items, new Map(found.map((service) => [service.id, service])));
  }

  /** Starts to build the service of an item. */
  async begin(item: BulkItem): Promise<void> {
    const service = (await this.#locked([item])).get(item.serviceId ?? '');
    if (service?.status !== ServiceStatus.PENDING) return;
    item.moveTo(BulkItemStatus.IN_PROGRESS);
    await enqueueConverge(this.jobs, this.tx, service);
  }

  /** Gives up pending services that were not ordered from the provider yet. The services become `failed`, and their items `skipped`. */
  async skip(items: readonly BulkItem[], reason: string): Promise<void> {
    const services = await this.#locked(items);
    for (const item of items) {
      const service = services.get(item.serviceId ?? '');
      if (service?.status !== ServiceStatus.PENDING) continue;
      service.held = null;
      await move(this.tx, service, ServiceStatus.FAILED, this.now, reason);
      item.moveTo(BulkItemStatus.SKIPPED);
    }
  }

  /**
   * Locks the services, sets the state of each item from its service, and makes all services operational. If an item is no
   * longer `built`, returns false and changes no service.
   */
  async activate(items: readonly BulkItem[]): Promise<boolean> {
    const services = await this.#locked(items);
    if (!items.every(({ status }) => status === BulkItemStatus.BUILT)) return false;
    for (const item of items) {
      const service = services.get(item.serviceId ?? '');
      if (!service) continue;
      service.held = null;
      await move(this.tx, service, ServiceStatus.OPERATIONAL, this.now);
      item.moveTo(BulkItemStatus.COMPLETED);
    }
    return true;
  }

  /** Releases the services that are built or are being built. Gives up pending services as `skip` does. */
  async release(items: readonly BulkItem[], reason: string): Promise<void> {
    await this.skip(items, reason);
    const services = await this.#locked(items.filter(({ status }) => status !== BulkItemStatus.SKIPPED));
    for (const item of items) {
      const service = services.get(item.serviceId ?? '');
      if (service?.status !== ServiceStatus.PROVISIONING || service.held === ServiceHold.RELEASING) continue;
      const isBuilt = service.held === ServiceHold.BUILT;
      service.hold(ServiceHold.RELEASING, this.now);
      service.provisioningFailures = 0;
      item.moveTo(BulkItemStatus.RELEASING);
      // the job that builds the service releases it when the provider has responded
      if (isBuilt) await enqueueConverge(this.jobs, this.tx, service);
    }
  }

  /** Locks the services of the items, and updates the state of the items from their services. */
  async #locked(items: readonly BulkItem[]): Promise<ReadonlyMap<string, Service>> {
    const ids = idsOf(items);
    if (ids.length === 0) return new Map();
    const found = await this.tx.find(Service, { id: { $in: ids } }, { ...LOCKED, orderBy: { id: 'asc' }, refresh: true });
    const services = new Map(found.map((service) => [service.id, service]));
    follow(items, services);
    return services;
  }
}

const idsOf = (items: readonly BulkItem[]): string[] => items.flatMap(({ serviceId }) => serviceId ?? []);

function follow(items: readonly BulkItem[], services: ReadonlyMap<string, ObservedService>): void {
  for (const item of items) {
    const service = item.serviceId ? services.get(item.serviceId) : undefined;
    if (!service) continue;
    const { status, error } = itemStateOf(service, item.status);
    item.moveTo(status, error);
  }
}
