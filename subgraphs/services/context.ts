import type { Principal } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EntityManager } from '../../kernel/database/database.ts';
import { once } from '../../kernel/once.ts';
import { loadersOf } from '../../kernel/records/loaders.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { CatalogReader } from './catalog/catalog-reader.ts';
import { ServiceChangeService } from './changes/service-change.service.ts';
import type { ServicesCore } from './core.ts';
import { CoverageService } from './coverage/coverage.service.ts';
import { ServiceQueries } from './inventory/service-queries.ts';
import { OrderService } from './orders/order.service.ts';
import { ProvisioningRequestService } from './provisioning-requests/provisioning-request.service.ts';
import { StatusService } from './status/status.service.ts';

/**
 * Services, loaders and values for one request, or for a job that uses them like a request. Each of them is created
 * when it is used first.
 */
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

  @once get coverage(): CoverageService {
    return new CoverageService(this.em);
  }

  @once get services(): ServiceQueries {
    return new ServiceQueries(this.em, this.loaders.services);
  }

  @once get changes(): ServiceChangeService {
    return new ServiceChangeService({ ...this.shared, loader: this.loaders.services });
  }

  @once get statuses(): StatusService {
    const { rows, clock, connectivity } = this.#core.ports;
    return new StatusService({ rows, organizationId: this.principal.organizationId, clock, log: this.#request.log, connectivity });
  }

  @once get orders(): OrderService {
    const { graph } = this.#core.ports;
    return new OrderService({ ...this.shared, graph, catalog: this.catalog, coverage: this.coverage });
  }

  @once get provisioningRequests(): ProvisioningRequestService {
    const { provisioningRequests: reader } = this.#core.readers;
    return new ProvisioningRequestService({ ...this.shared, orders: this.orders, reader });
  }

  @once private get em(): EntityManager {
    return organizationEm(this.#core.ports.orm, this.principal);
  }

  /** Dependencies of the classes that order, change or end services. */
  @once private get shared() {
    const { clock, jobs } = this.#core.ports;
    return { em: this.em, request: this.#request, clock, jobs };
  }
}
