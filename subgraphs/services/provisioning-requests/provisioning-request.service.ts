import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { PlatformError, refuse } from '../../../kernel/errors/errors.ts';
import { withFieldNames } from '../../../kernel/errors/field-names.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import type { RecordReader } from '../../../kernel/records/record-reader.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { OrderAccount } from '../accounts/order-account.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import type { Configuration } from '../inventory/service-terms.ts';
import type { InspectedOrder, OrderService } from '../orders/order.service.ts';
import { LOCATION } from '../products/order-needs.ts';
import { ProvisioningRequest } from './provisioning-request.entity.ts';
import { CancellationHasBegun, ChangedMeanwhile } from './provisioning-request.errors.ts';
import type { ProvisioningRequestFilter, ProvisioningRequestInput, ProvisioningRequestUpdateInput } from './provisioning-request.inputs.ts';
import { enqueueBeginning } from './provisioning-request.job.ts';
import { ProvisioningRequestStatus, provisioningRequestStates } from './provisioning-request.states.ts';
import { NO_TERMS, shownOptions } from './provisioning-request-terms.ts';
import { checkedFieldsOf, namesFor, REST_NAMES, storedFieldsOf } from './requested-fields.ts';

export interface ProvisioningRequestServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  jobs: Jobs;
  orders: OrderService;
  account: OrderAccount;
  services: ServiceEnding;
  reader: RecordReader<ProvisioningRequest>;
}

/** Ends a service that the caller has locked in the transaction `tx`. @throws InvalidState, ServiceInMaintenance */
export interface ServiceEnding {
  endLocked(tx: EntityManager, service: Service): Promise<Service>;
}

/**
 * Manages requests for catalog services. A request is pending until all its required data is known and its preferred date is reached. When
 * both conditions are met, the service is ordered (specification 2.5, 4.3).
 */
export class ProvisioningRequestService {
  constructor(private readonly deps: ProvisioningRequestServiceDeps) {}

  /**
   * Creates a request. The given data is checked like the data of an order, even if the preferred date is in the
   * future.
   * @throws InvalidParameters, and the errors of an order
   */
  async create(input: ProvisioningRequestInput): Promise<ProvisioningRequest> {
    const { organizationId } = this.deps.request.principal;
    const now = this.deps.clock.now();
    const request = Object.assign(new ProvisioningRequest(), { id: newId('provisioningRequest'), organizationId, createdAt: now });
    request.change(storedFieldsOf(input, NO_TERMS), now);
    const checked = await this.#check(request, namesFor(input));
    return this.deps.em.transactional(async (tx) => {
      await this.#proceed(tx, request, checked);
      tx.persist(request);
      return request;
    });
  }

  /**
   * Changes a pending request, and orders the service if all required data is known and the preferred date is reached.
   * @throws ResourceNotFound, ProvisioningHasBegun, ChangedMeanwhile, InvalidParameters, and the errors of an order
   */
  async update(id: string, input: ProvisioningRequestUpdateInput): Promise<ProvisioningRequest> {
    const known = orNotFound(await this.#read(id), 'provisioning_request', id);
    const { revision } = known;
    const fields = storedFieldsOf(input, known.terms);
    known.change(fields, this.deps.clock.now());
    const checked = await this.#check(known, namesFor(input));
    Object.assign(fields, checkedFieldsOf(known));
    return this.deps.em.transactional(async (tx) => {
      const request = orNotFound(await locked(tx, id), 'provisioning_request', id);
      const isKnown = request.revision === revision;
      request.change(fields, this.deps.clock.now());
      if (!isKnown) throw new ChangedMeanwhile(id);
      await this.#proceed(tx, request, checked);
      return request;
    });
  }

  /**
   * Cancels a request. A pending request is cancelled immediately. Otherwise its service is ended, and the request is
   * cancelled when the provider has released the service.
   * @throws ResourceNotFound, InvalidState, CancellationHasBegun
   */
  async cancel(id: string): Promise<ProvisioningRequest> {
    const { serviceId } = orNotFound(await this.#read(id), 'provisioning_request', id);
    const cancelled = await this.deps.em.transactional((tx) => this.#cancel(tx, id, serviceId));
    // the service was ordered between reading and locking the request
    return cancelled ?? this.cancel(id);
  }

  /** Cancels a request in a transaction. Changes nothing and returns null if `serviceId` is not the current service of the request. */
  async #cancel(tx: EntityManager, id: string, serviceId: string | null): Promise<ProvisioningRequest | null> {
    // the service is locked before its request, as by the job that builds it
    const service = serviceId ? await tx.findOneOrFail(Service, { id: serviceId }, LOCKED) : null;
    const request = orNotFound(await locked(tx, id), 'provisioning_request', id);
    if (request.serviceId !== serviceId) return null;
    provisioningRequestStates.check(request.status, ProvisioningRequestStatus.CANCELLED);
    if (service?.status === ServiceStatus.DECOMMISSIONING) throw new CancellationHasBegun(id, request.status);
    if (service) await this.deps.services.endLocked(tx, service);
    else request.moveTo(ProvisioningRequestStatus.CANCELLED, this.deps.clock.now());
    return request;
  }

  /**
   * Starts a scheduled request. If the service can no longer be ordered, the request fails. Does nothing if the request
   * has another date than `preferredDate`, or is no longer pending.
   */
  async beginScheduled(id: string, preferredDate: Date): Promise<void> {
    const known = await this.#read(id);
    if (!known || !isAwaiting(known, preferredDate)) return;
    const failure = await this.#check(known, REST_NAMES)
      .then((checked) => this.#begin(known, checked))
      .catch(refusal);
    if (!failure) return;
    await this.deps.em.transactional(async (tx) => {
      const request = await this.#unchanged(tx, known);
      request?.moveTo(ProvisioningRequestStatus.FAILED, this.deps.clock.now(), failure.message);
    });
  }

  /** Orders the service of a request. Orders nothing if another call has changed the request since it was read. */
  async #begin(known: ProvisioningRequest, checked: InspectedOrder): Promise<void> {
    refuse(checked.missing.map((name) => ({ field: REST_NAMES[name] ?? `customizations.${name}`, reason: 'is required' })));
    await this.deps.em.transactional(async (tx) => {
      const request = await this.#unchanged(tx, known);
      if (!request) return;
      Object.assign(request, checkedFieldsOf(known));
      await this.#order(tx, request, checked);
    });
  }

  /**
   * Locks and returns a request. Returns null if another call has changed the request since it was read. In this case, the other call has
   * already ordered the service, or scheduled another start.
   */
  async #unchanged(tx: EntityManager, { id, revision }: ProvisioningRequest): Promise<ProvisioningRequest | null> {
    const request = await locked(tx, id);
    return request?.revision === revision ? request : null;
  }

  list({ status, accountId }: ProvisioningRequestFilter, sort: SortBy[], page: PageInput): Promise<Page<ProvisioningRequest>> {
    const where = matching<ProvisioningRequest>({ status, accountId });
    return listPage(this.deps.em, ProvisioningRequest, { where, sort, page, defaultSort: NEWEST_FIRST });
  }

  /** Loads the request without the ORM's change tracking, so that changes to the returned object are not saved. */
  async #read(id: string): Promise<ProvisioningRequest | null> {
    const [request = null] = await this.deps.reader.byIds(this.deps.request.principal, [id]);
    return request;
  }

  /**
   * Checks a request like an order, and sets the fields of `request` that the check determines: account, kind of service,
   * needed data and features. `names` maps the field names of an order to the names that errors contain.
   */
  async #check(request: ProvisioningRequest, names: Readonly<Record<string, string>>): Promise<InspectedOrder> {
    const { serviceTemplate, location, billingCycle, sla, accountId, terms } = request;
    const { bandwidth, ...configuration } = terms.options as Configuration & { bandwidth?: string };
    await this.deps.orders.requireOrderable(serviceTemplate, names.catalogId ?? 'serviceTemplate');
    const { features, quoteId, quoteLine } = terms;
    const draft = { catalog: { id: serviceTemplate }, bandwidth, configuration, features, sla, location, billingCycle };
    const checked = await this.deps.orders.inspect({ ...draft, accountId, quoteId, quoteLine }).catch(withFieldNames(names));
    request.accountId = checked.accountId;
    request.billingCycle = checked.billingCycle;
    request.terms = { ...terms, type: checked.type, needs: checked.needs, features: checked.features };
    return checked;
  }

  async #proceed(tx: EntityManager, request: ProvisioningRequest, checked: InspectedOrder): Promise<void> {
    const now = this.deps.clock.now();
    const { missing, preferredDate } = request;
    if (missing.length > 0) return request.wait(now, `Waits for ${missing.map(inWords).join(' and ')}.`);
    if (!preferredDate || preferredDate <= now) return this.#order(tx, request, checked);
    request.wait(now, `Begins at ${preferredDate.toISOString()}.`);
    await enqueueBeginning(this.deps.jobs, tx, request, preferredDate);
  }

  async #order(tx: EntityManager, request: ProvisioningRequest, { terms, accountId, quoted }: InspectedOrder): Promise<void> {
    if (!terms) throw new Error(`The provisioning request ${request.id} lacks data that an order needs.`);
    const { location, billingCycle, name } = request;
    const { bandwidth: _, ...configuration } = shownOptions(request.terms);
    const service = await this.deps.orders.placeQuoted(tx, { ...terms, configuration }, quoted, {
      accountId,
      location,
      billingCycle,
      name,
    });
    request.begin(service.id, this.deps.clock.now());
  }
}

const inWords = (name: string): string => (name === LOCATION ? 'a location' : `customizations.${name}`);

const locked = (tx: EntityManager, id: string): Promise<ProvisioningRequest | null> => tx.findOne(ProvisioningRequest, { id }, LOCKED);

const isAwaiting = ({ status, missing, preferredDate }: ProvisioningRequest, date: Date): boolean =>
  status === ProvisioningRequestStatus.PENDING && missing.length === 0 && preferredDate?.getTime() === date.getTime();

/**
 * Returns the error if its status is below 500, which means that the order was refused. Throws any other error again, so that the job is
 * retried.
 */
function refusal(error: unknown): PlatformError {
  if (error instanceof PlatformError && error.status < 500) return error;
  throw error;
}
