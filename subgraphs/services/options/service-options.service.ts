import DataLoader from 'dataloader';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { CatalogReader } from '../catalog/catalog-reader.ts';
import type { Offer } from '../catalog/offer.ts';
import { offerProblems, priceLinesOf } from '../catalog/pricing.ts';
import { checkRoom, expected } from '../changes/planned-change.ts';
import type { ServiceChange } from '../changes/service-change.entity.ts';
import { ServiceNotChangeable } from '../changes/service-change.errors.ts';
import { ServiceChangeKind } from '../changes/service-change.states.ts';
import { BatchedCoverage } from '../coverage/batched-coverage.ts';
import { priceOf } from '../inventory/price-line.ts';
import type { Service } from '../inventory/service.entity.ts';
import { isInService, ServiceStatus } from '../inventory/service.states.ts';
import { termsOf } from '../inventory/service-terms.ts';
import { ServiceInMaintenance } from '../maintenance/maintenance.errors.ts';
import type { MaintenanceWindow } from '../maintenance/maintenance-window.entity.ts';
import { MaintenanceStatus } from '../maintenance/maintenance-window.states.ts';
import { lastInProgress } from '../maintenance/maintenance-windows.ts';
import { problemsOf } from '../previews/preview.types.ts';
import type { ProductReads } from '../products/product.ts';
import { productOf } from '../products/registry.ts';
import { ChangeOptions } from './change-options.ts';
import type { ServiceOptions } from './service-options.types.ts';

export interface ServiceOptionsDeps {
  em: EntityManager;
  clock: Clock;
  loaders: { services: RecordLoader<Service>; maintenanceWindows: RecordLoader<MaintenanceWindow> };
  /** Returns the changes of a service that have not ended, newest first. */
  pendingChangesOf(serviceId: string): Promise<ServiceChange[]>;
}

const MAX_WINDOWS = 50;
const NONE = { bandwidths: [], slas: [], features: [], size: null };

/**
 * Computes the possible changes of services, with the same results as `changePreview`. The number of statements does
 * not depend on the number of services.
 */
export class ServiceOptionsService {
  readonly #catalog: CatalogReader;
  readonly #offers: DataLoader<string, Offer>;
  readonly #reads: ProductReads;
  readonly #computed = new WeakMap<Service, Promise<ServiceOptions>>();

  constructor(private readonly deps: ServiceOptionsDeps) {
    const { em, loaders } = deps;
    this.#catalog = new CatalogReader(em);
    this.#offers = new DataLoader((ids) => this.#catalog.offersById(ids));
    this.#reads = {
      services: async (ids) => (await Promise.all(ids.map((id) => loaders.services.load(id)))).filter((one) => one !== null),
      coverage: new BatchedCoverage(em),
    };
  }

  /** Returns the options of a service. They are computed only once, however often an operation selects them. */
  optionsOf(service: Service): Promise<ServiceOptions> {
    const options = this.#computed.get(service) ?? this.#compute(service);
    this.#computed.set(service, options);
    return options;
  }

  /**
   * Returns the monthly price of a service if it were ordered today with the same configuration, without a discount.
   * Null if the catalog does not sell it any more.
   */
  async catalogPriceOf(service: Service): Promise<Decimal | null> {
    const { catalogId, type, currency } = service;
    const [offer, { orderable }] = await Promise.all([this.#offers.load(catalogId), this.#catalog.ordered(catalogId)]);
    const terms = termsOf(service);
    const priced = { ...terms, quantity: productOf(type).quantityOf?.(terms.configuration) ?? 1 };
    const isSold = orderable && offer.service.currency === currency && offerProblems(offer, priced).length === 0;
    return isSold ? priceOf(priceLinesOf(offer, priced), currency) : null;
  }

  async #compute(service: Service): Promise<ServiceOptions> {
    const { currency } = service;
    const open = (await this.deps.pendingChangesOf(service.id)).filter(({ kind }) => kind !== ServiceChangeKind.DECOMMISSION).reverse();
    try {
      await this.#checkCanChange(service, open);
    } catch (error) {
      const [reason = null] = problemsOf(error);
      return { ...NONE, currency, reason };
    }
    const subject = { service, product: productOf(service.type), offer: await this.#offers.load(service.catalogId) };
    return { ...(await new ChangeOptions(this.#reads, subject, expected(subject, open)).all()), currency, reason: null };
  }

  /**
   * Checks that a service can be changed now.
   * @throws ServiceInMaintenance, ServiceNotChangeable, TooManyChanges
   */
  async #checkCanChange(service: Service, open: readonly ServiceChange[]): Promise<void> {
    if (service.status === ServiceStatus.MAINTENANCE) {
      const only = { status: MaintenanceStatus.IN_PROGRESS };
      const windows = await this.deps.loaders.maintenanceWindows.newest('serviceId', service.id, MAX_WINDOWS, only);
      throw new ServiceInMaintenance(service, lastInProgress(windows), this.deps.clock.now());
    }
    if (!isInService(service.status)) throw new ServiceNotChangeable(service);
    checkRoom(service, open, ServiceChangeKind.MODIFICATION, false);
  }
}
