import type { Principal } from '../../kernel/access/principal.ts';
import { AnalyticsReads } from '../../kernel/analytics/analytics-reads.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EntityManager } from '../../kernel/database/database.ts';
import { once } from '../../kernel/once.ts';
import { loadersOf } from '../../kernel/records/loaders.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { OrderAccount } from './accounts/order-account.ts';
import { AnalyticsService } from './analytics/analytics.service.ts';
import { AvailabilityService as AvailabilityAnalyticsService } from './analytics/availability.service.ts';
import { ServicesSummaryReader } from './analytics/services-summary.ts';
import { AvailabilityService } from './availability/availability.service.ts';
import { BulkService } from './bulk/bulk.service.ts';
import { BulkModificationService } from './bulk/bulk-modification.service.ts';
import { BulkProvisioningService } from './bulk/bulk-provisioning.service.ts';
import { BulkCatalog, BulkCoverage } from './bulk/bulk-reads.ts';
import { CarrierReader } from './carriers/carrier-reader.ts';
import { CatalogReader } from './catalog/catalog-reader.ts';
import { CatalogCategoryService } from './catalog-management/catalog-category.service.ts';
import { CatalogManagementService } from './catalog-management/catalog-management.service.ts';
import { CatalogPricesService } from './catalog-management/catalog-prices.service.ts';
import { TermDiscountService } from './catalog-management/term-discount.service.ts';
import type { ServiceChange } from './changes/service-change.entity.ts';
import { ServiceChangeService } from './changes/service-change.service.ts';
import { MAX_OPEN, OPEN_STATUSES } from './changes/service-change.states.ts';
import { ServiceUpdateService } from './changes/service-update.service.ts';
import type { ServicesCore } from './core.ts';
import { CoverageService } from './coverage/coverage.service.ts';
import { CarrierService } from './coverage-management/carrier.service.ts';
import { CoverageManagementService } from './coverage-management/coverage-management.service.ts';
import type { Service } from './inventory/service.entity.ts';
import { ServiceQueries } from './inventory/service-queries.ts';
import { MaintenanceService } from './maintenance/maintenance.service.ts';
import { MetricsService } from './metrics/metrics.service.ts';
import { ServiceOptionsService } from './options/service-options.service.ts';
import { OrderService } from './orders/order.service.ts';
import { ProvisioningRequestService } from './provisioning-requests/provisioning-request.service.ts';
import { QuoteService } from './quotes/quote.service.ts';
import { QuoteOrders } from './quotes/quote-orders.ts';
import { StatusService } from './status/status.service.ts';
import { TimelineService } from './timeline/timeline.service.ts';

/** Services, loaders and values for one request, or for a job that uses them like a request. Each of them is created at its first use. */
export class ServicesContext {
  readonly principal: Principal;
  readonly clock: Clock;
  readonly #core: ServicesCore;
  readonly #request: RequestContext;

  constructor(core: ServicesCore, request: RequestContext) {
    this.principal = request.principal;
    this.clock = core.ports.clock;
    this.#core = core;
    this.#request = request;
  }

  @once get loaders() {
    return loadersOf(this.#core.readers, this.principal);
  }

  @once get catalog(): CatalogReader {
    return new CatalogReader(this.em);
  }

  @once get catalogManagement(): CatalogManagementService {
    return new CatalogManagementService(this.operating);
  }

  @once get catalogCategories(): CatalogCategoryService {
    return new CatalogCategoryService(this.operating);
  }

  @once get coverageManagement(): CoverageManagementService {
    return new CoverageManagementService(this.operating);
  }

  @once get carrierManagement(): CarrierService {
    return new CarrierService(this.operating);
  }

  @once get termDiscounts(): TermDiscountService {
    return new TermDiscountService(this.operating);
  }

  @once get catalogPrices(): CatalogPricesService {
    return new CatalogPricesService(this.em);
  }

  @once get coverage(): CoverageService {
    return new CoverageService(this.em);
  }

  @once get carriers(): CarrierReader {
    return new CarrierReader(this.em, this.coverage);
  }

  @once get availability(): AvailabilityService {
    return new AvailabilityService({ coverage: this.coverage, catalog: this.catalog, carriers: this.carriers });
  }

  @once get services(): ServiceQueries {
    const { search, counters } = this.#core;
    return new ServiceQueries({
      em: this.em,
      scope: this.principal,
      loader: this.loaders.services,
      categories: this.catalog,
      search,
      counters,
    });
  }

  @once get changes(): ServiceChangeService {
    return new ServiceChangeService({ ...this.shared, loader: this.loaders.services });
  }

  @once get updates(): ServiceUpdateService {
    return new ServiceUpdateService(this.shared);
  }

  @once get options(): ServiceOptionsService {
    const { em, clock, loaders } = this;
    return new ServiceOptionsService({ em, clock, loaders, pendingChangesOf: (id) => this.pendingChangesOf(id) });
  }

  @once get statuses(): StatusService {
    const { rows, clock, connectivity } = this.#core.ports;
    const { organizationId } = this.principal;
    return new StatusService({ rows, organizationId, clock, samples: this.#core.samples, isSimulated: connectivity.simulated });
  }

  @once get maintenance(): MaintenanceService {
    return new MaintenanceService({ em: this.em, clock: this.clock });
  }

  @once get timelines(): TimelineService {
    return new TimelineService(this.#core.ports.rows, this.principal);
  }

  @once get metrics(): MetricsService {
    return new MetricsService({ clock: this.clock, samples: this.#core.samples, statuses: this.statuses });
  }

  @once get analytics(): AnalyticsService {
    return new AnalyticsService({ em: this.em, clock: this.clock, samples: this.#core.samples });
  }

  @once get availabilityAnalytics() {
    const service = new AvailabilityAnalyticsService({ rows: this.#core.ports.rows, principal: this.principal });
    return {
      figures: new AnalyticsReads((range) => service.read(range)),
      trends: new AnalyticsReads((range) => service.trend(range)),
    };
  }

  @once get summary(): ServicesSummaryReader {
    return new ServicesSummaryReader({ rows: this.#core.ports.rows, principal: this.principal, clock: this.clock });
  }

  @once get orders(): OrderService {
    return this.ordersWith({ catalog: this.catalog, coverage: this.coverage });
  }

  @once get quotes(): QuoteService {
    return new QuoteService({ ...this.shared, account: this.orderAccount, catalog: this.catalog, coverage: this.coverage });
  }

  @once get provisioningRequests(): ProvisioningRequestService {
    const { provisioningRequests: reader } = this.#core.readers;
    return new ProvisioningRequestService({
      ...this.shared,
      orders: this.orders,
      account: this.orderAccount,
      services: this.changes,
      reader,
    });
  }

  @once get bulks(): BulkService {
    return new BulkService({ ...this.shared, loaders: this.loaders });
  }

  @once get bulkProvisioning(): BulkProvisioningService {
    const orders = this.ordersWith({ catalog: new BulkCatalog(this.em), coverage: new BulkCoverage(this.em) });
    return new BulkProvisioningService({ ...this.shared, account: this.orderAccount, orders });
  }

  @once get bulkModification(): BulkModificationService {
    return new BulkModificationService(this.shared);
  }

  private ordersWith(reads: { catalog: CatalogReader; coverage: CoverageService }): OrderService {
    const quotes = new QuoteOrders(this.em, this.clock);
    return new OrderService({ ...this.shared, ...reads, account: this.orderAccount, quotes });
  }

  /** Loads the changes of a service that have not ended, newest first. */
  pendingChangesOf(serviceId: string): Promise<ServiceChange[]> {
    return this.loaders.serviceChanges.newest('serviceId', serviceId, MAX_OPEN + 1, { status: OPEN_STATUSES });
  }

  /** Stores that a service was just ordered, so that its changes need not be read. */
  async ordered(order: Promise<Service>): Promise<Service> {
    const service = await order;
    this.loaders.serviceChanges.keepNone('serviceId', service.id, MAX_OPEN + 1, { status: OPEN_STATUSES });
    return service;
  }

  @once private get orderAccount(): OrderAccount {
    return new OrderAccount(this.#core.ports.graph, this.#request);
  }

  @once private get em(): EntityManager {
    return organizationEm(this.#core.ports.orm, this.principal);
  }

  /** Dependencies of the classes that change the catalog, coverage and carriers. */
  @once private get operating() {
    return { em: this.em, request: this.#request, clock: this.clock };
  }

  /** Dependencies of the classes that order, change or end services. */
  @once private get shared() {
    const { clock, jobs } = this.#core.ports;
    return { em: this.em, request: this.#request, clock, jobs };
  }
}
