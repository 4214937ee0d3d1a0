import { parse } from 'graphql';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import type { CatalogReader } from '../catalog/catalog-reader.ts';
import { type Offer, type Price, priceOf } from '../catalog/offer.ts';
import { enqueueConverge } from '../changes/converge.job.ts';
import { mbpsOf } from '../coverage/bandwidth.ts';
import type { CoverageService } from '../coverage/coverage.service.ts';
import { plainLocation, type ServiceLocation } from '../coverage/location.ts';
import type { AccessTechnology } from '../coverage/technology.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceType } from '../inventory/service.states.ts';
import { statusChange } from '../status/service-transition.ts';
import { AccountNotActive } from './order.errors.ts';
import type { InternetServiceOrderInput } from './order.inputs.ts';

const ACCOUNT = parse('query ServiceAccount($id: ID!) { account(id: $id) { status } }');

export interface OrderServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  jobs: Jobs;
  catalog: CatalogReader;
  coverage: CoverageService;
}

/**
 * An order that must be checked. The check of the account or the location is skipped if `accountId` or `location` is
 * null.
 */
export interface OrderDraft {
  serviceType: AccessTechnology;
  bandwidth: string;
  sla?: string | null | undefined;
  accountId: string | null;
  location: ServiceLocation | null;
}

/** Catalog service and price of an order. The checks of the order determine them. */
export interface OrderTerms extends Price {
  serviceType: AccessTechnology;
  catalogId: string;
  catalogName: string;
  bandwidthMbps: number;
}

/** Data that a new service needs in addition to the terms of the order. */
export interface OrderParticulars {
  accountId: string;
  location: ServiceLocation;
  billingCycle: BillingCycle;
  /** Name of the service. Default: the name of the catalog service, and the address. */
  name?: string | null | undefined;
  configuration?: Record<string, unknown>;
}

/** Checks and places orders for services (specification 4.4). */
export class OrderService {
  constructor(private readonly deps: OrderServiceDeps) {}

  /**
   * Places an order. A job then provisions the internet line.
   * @throws ResourceNotFound if the organization does not have the account
   * @throws AccountNotActive, LocationNotServiceable, ServiceUnavailableAtLocation, InsufficientBandwidth
   * @throws InvalidParameters for options that the catalog does not have
   */
  async orderInternet(input: InternetServiceOrderInput): Promise<Service> {
    const terms = await this.check(input);
    return this.deps.em.transactional((tx) => this.place(tx, terms, input));
  }

  /**
   * Runs all checks of an order. Must be called outside of a transaction.
   * @throws the same errors as `orderInternet`
   */
  async check({ serviceType, bandwidth, sla, accountId, location }: OrderDraft): Promise<OrderTerms> {
    const bandwidthMbps = mbpsOf(bandwidth);
    if (accountId) await this.#checkAccount(accountId);
    if (location) await this.deps.coverage.check(serviceType, bandwidthMbps, plainLocation(location));
    const offer = await this.#offer(serviceType);
    const { id: catalogId, name: catalogName } = offer.service;
    return { serviceType, catalogId, catalogName, bandwidthMbps, ...priceOf(offer, bandwidthMbps, sla ?? undefined) };
  }

  /** Creates the service, and the job that provisions it. Both are part of the given transaction. */
  async place(tx: EntityManager, { catalogName, ...terms }: OrderTerms, order: OrderParticulars): Promise<Service> {
    const { accountId, billingCycle, configuration = {} } = order;
    const location = plainLocation(order.location);
    const name = order.name ?? `${catalogName}, ${location.address}`;
    const { organizationId } = this.deps.request.principal;
    const now = this.deps.clock.now();
    const service = Object.assign(new Service(), terms, { accountId, billingCycle, configuration, location, name });
    Object.assign(service, { id: newId('service'), organizationId, type: ServiceType.INTERNET, createdAt: now, updatedAt: now });
    tx.persist([service, statusChange(service, null)]);
    await enqueueConverge(this.deps.jobs, tx, service);
    return service;
  }

  /**
   * Returns the access technology of the catalog service `catalogId`.
   * @throws InvalidParameters for the input field `field`, if the service cannot be ordered. The error lists the ids
   * that can be ordered
   */
  async technologyOf(catalogId: string, field: string): Promise<AccessTechnology> {
    const orderable = await this.deps.catalog.orderable();
    const found = orderable.find(({ id }) => id === catalogId);
    if (found) return found.serviceType as AccessTechnology;
    throw new InvalidParameters([{ field, value: catalogId, reason: `must be one of ${orderable.map(({ id }) => id).join(', ')}` }]);
  }

  async #checkAccount(id: string): Promise<void> {
    const { account } = await this.deps.graph.query<{ account: { status: string } | null }>(ACCOUNT, { id }, this.deps.request);
    const { status } = orNotFound(account, 'account', id);
    // enum values are in upper case in GraphQL, and in lower case in REST and in error messages
    if (status !== 'ACTIVE') throw new AccountNotActive(id, status.toLowerCase());
  }

  async #offer(technology: AccessTechnology): Promise<Offer> {
    const offer = await this.deps.catalog.offer(technology);
    if (!offer) throw new InvalidParameters([{ field: 'serviceType', value: technology, reason: 'is not in the catalog' }]);
    return offer;
  }
}
