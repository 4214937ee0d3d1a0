import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters, InvalidState, PlatformError } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import type { RecordReader } from '../../../kernel/records/record-reader.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { formatBandwidth, mbpsOf } from '../coverage/bandwidth.ts';
import { plainLocation } from '../coverage/location.ts';
import type { OrderService, OrderTerms } from '../orders/order.service.ts';
import { ProvisioningRequest, type RequestedFields } from './provisioning-request.entity.ts';
import { ChangedMeanwhile } from './provisioning-request.errors.ts';
import type { ProvisioningRequestFilter, ProvisioningRequestInput, ProvisioningRequestUpdateInput } from './provisioning-request.inputs.ts';
import { enqueueBeginning } from './provisioning-request.job.ts';
import { ProvisioningRequestStatus, provisioningRequestStates } from './provisioning-request.states.ts';
import { ProvisioningRequirement } from './provisioning-request.values.ts';

export interface ProvisioningRequestServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  jobs: Jobs;
  orders: OrderService;
  reader: RecordReader<ProvisioningRequest>;
}

/**
 * Manages requests for catalog services. A request is pending until all its required data is known and its preferred
 * date is reached. Then the service is ordered (specification 2.5, 4.3).
 */
export class ProvisioningRequestService {
  constructor(private readonly deps: ProvisioningRequestServiceDeps) {}

  /**
   * Creates a request. The given data is checked like the data of an order, even if the preferred date is in the
   * future.
   * @throws InvalidParameters, and the errors of an order
   */
  async create(input: ProvisioningRequestInput): Promise<ProvisioningRequest> {
    const { principal } = this.deps.request;
    const { organizationId } = principal;
    const now = this.deps.clock.now();
    const request = Object.assign(new ProvisioningRequest(), { id: newId('provisioningRequest'), organizationId, createdAt: now });
    request.change(storedFieldsOf(input), now);
    request.accountId ??= principal.defaultAccount('accountId');
    const terms = await this.#check(request);
    return this.deps.em.transactional(async (tx) => {
      await this.#proceed(tx, request, terms);
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
    const fields = storedFieldsOf(input);
    known.change(fields, this.deps.clock.now());
    // if the caller is limited to one account, the request keeps this account
    if (known.accountId === null) fields.accountId = this.deps.request.principal.defaultAccount('accountId');
    const terms = await this.#check(known);
    return this.deps.em.transactional(async (tx) => {
      const request = orNotFound(await locked(tx, id), 'provisioning_request', id);
      const isKnown = request.revision === revision;
      request.change(fields, this.deps.clock.now());
      if (!isKnown) throw new ChangedMeanwhile(id);
      await this.#proceed(tx, request, terms);
      return request;
    });
  }

  /**
   * Cancels a pending request.
   * @throws ResourceNotFound, InvalidState
   */
  cancel(id: string): Promise<ProvisioningRequest> {
    return this.deps.em.transactional(async (tx) => {
      const request = orNotFound(await locked(tx, id), 'provisioning_request', id);
      const { status } = request;
      // a request that has begun is cancelled only when its service is ended
      if (status !== ProvisioningRequestStatus.PENDING) throw new InvalidState('provisioning request', status, CANCELLED, nextOf(status));
      request.moveTo(CANCELLED, this.deps.clock.now());
      return request;
    });
  }

  /**
   * Starts a scheduled request. If the service can no longer be ordered, the request fails. Does nothing if the request
   * has another date than `preferredDate`, or is no longer pending.
   */
  async beginScheduled(id: string, preferredDate: Date): Promise<void> {
    const known = await this.#read(id);
    if (!known || !isAwaiting(known, preferredDate)) return;
    const terms = await this.#check(known).catch(refusal);
    await this.deps.em.transactional(async (tx) => {
      const request = await locked(tx, id);
      // the request was changed during the check; the change has already scheduled another start
      if (!request || request.revision !== known.revision) return;
      if (terms instanceof PlatformError) request.moveTo(ProvisioningRequestStatus.FAILED, this.deps.clock.now(), terms.message);
      else await this.#order(tx, request, terms);
    });
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

  async #check({ serviceTemplate, customizations, accountId, location, sla }: ProvisioningRequest): Promise<OrderTerms> {
    const { orders } = this.deps;
    const serviceType = await orders.technologyOf(serviceTemplate, 'serviceTemplate');
    try {
      return await orders.check({ serviceType, bandwidth: customizations.bandwidth, accountId, location, sla });
    } catch (error) {
      throw inItsFields(error);
    }
  }

  async #proceed(tx: EntityManager, request: ProvisioningRequest, terms: OrderTerms): Promise<void> {
    const now = this.deps.clock.now();
    const { missing, preferredDate } = request;
    if (missing.length > 0) return request.wait(now, `Waits for ${missing.map((name) => WORDS[name]).join(' and ')}.`);
    if (!preferredDate || preferredDate <= now) return this.#order(tx, request, terms);
    request.wait(now, `Begins at ${preferredDate.toISOString()}.`);
    await enqueueBeginning(this.deps.jobs, tx, request, preferredDate);
  }

  async #order(tx: EntityManager, request: ProvisioningRequest, terms: OrderTerms): Promise<void> {
    const { accountId, location, billingCycle, name, customizations } = request;
    if (!accountId || !location) throw new Error(`The provisioning request ${request.id} lacks data that an order needs.`);
    const { redundancy, monitoring } = customizations;
    const configuration = { redundancy, monitoring };
    const service = await this.deps.orders.place(tx, terms, { accountId, location, billingCycle, name, configuration });
    request.begin(service.id, this.deps.clock.now());
  }
}

const { CANCELLED } = ProvisioningRequestStatus;

/** Returns the next states of a request that has begun. A caller cannot cancel such a request. */
const nextOf = (status: ProvisioningRequestStatus): ProvisioningRequestStatus[] =>
  provisioningRequestStates.allowed(status).filter((next) => next !== CANCELLED);

const WORDS: Record<ProvisioningRequirement, string> = {
  [ProvisioningRequirement.ACCOUNT_ID]: 'an account',
  [ProvisioningRequirement.LOCATION]: 'a location',
};

const locked = (tx: EntityManager, id: string): Promise<ProvisioningRequest | null> => tx.findOne(ProvisioningRequest, { id }, LOCKED);

const isAwaiting = ({ status, missing, preferredDate }: ProvisioningRequest, date: Date): boolean =>
  status === ProvisioningRequestStatus.PENDING && missing.length === 0 && preferredDate?.getTime() === date.getTime();

/** Converts inputs to the form that is stored, with normalized bandwidths and plain objects. */
function storedFieldsOf({ customizations, deploymentSchedule, contacts, location, ...plain }: ProvisioningRequestUpdateInput) {
  const fields: Partial<RequestedFields> = { ...plain };
  if (deploymentSchedule !== undefined) fields.deploymentSchedule = deploymentSchedule;
  if (location !== undefined) fields.location = location && plainLocation(location);
  if (contacts !== undefined) fields.contacts = contacts && { technical: contacts.technical ?? null, billing: contacts.billing ?? null };
  if (customizations) {
    const { bandwidth, redundancy, monitoring } = customizations;
    fields.customizations = { bandwidth: formatBandwidth(mbpsOf(bandwidth)), redundancy, monitoring };
  }
  return fields;
}

/** Names of the fields in a provisioning request, by the names of these fields in the errors of an order. */
const FIELDS: Readonly<Record<string, string>> = { bandwidth: 'customizations.bandwidth', serviceType: 'serviceTemplate' };

function inItsFields(error: unknown): unknown {
  if (!(error instanceof InvalidParameters)) return error;
  const [first, ...rest] = error.problems.map((problem) => ({ ...problem, field: FIELDS[problem.field] ?? problem.field }));
  return first ? new InvalidParameters([first, ...rest]) : error;
}

/**
 * Returns the error if its status is below 500: such an error means that the order was refused. Throws any other error
 * again, so that the job is retried.
 */
function refusal(error: unknown): PlatformError {
  if (error instanceof PlatformError && error.status < 500) return error;
  throw error;
}
