import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { type Backoff, pauseAfter } from '../../../kernel/outbound/backoff.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import type { ConnectivityOrder, ConnectivityProvider, Provisioning, Release, ReleaseOrder } from '../providers/connectivity.provider.ts';
import { ProvisioningRejected } from '../providers/connectivity.provider.ts';
import { StatusChange } from '../status/status-change.entity.ts';
import type { ServiceChange } from './service-change.entity.ts';
import { completedDecommission, openDecommission } from './service-change-follow.ts';
import { move } from './service-move.ts';

const QUEUE = 'services.converge';
/** Queue of the previous releases. Its jobs run the same code. */
const FORMER_QUEUE = 'services.provision';
/** Number of failed attempts after which provisioning fails. The last attempt is about 40 minutes after the first. */
const MAX_FAILURES = 15;
const RETRY_LIMIT = 100_000;
const RETRY_DELAY_SECONDS = 1;
/** Delays between attempts to release a service. They are repeated until the provider responds. */
const RELEASE_BACKOFF: Backoff = { firstMs: 2_000, factor: 2, maxMs: 60 * 60 * 1000 };
/**
 * Maximum time that an order can be on its way to a provider. After this time, the provider either has the order or will
 * never receive it.
 */
const ASK_MS = 30_000;

const { PENDING, PROVISIONING, OPERATIONAL, DECOMMISSIONING, DECOMMISSIONED, FAILED } = ServiceStatus;

interface ConvergeJob {
  organizationId: string;
  serviceId: string;
  /** Number of the job. Jobs of the previous release have none. */
  number?: number;
}

export interface ConvergeDeps {
  orm: Orm;
  jobs: Jobs;
  clock: Clock;
  log: Logger;
  connectivity: ConnectivityProvider;
  isClosed?: Ports['isClosed'];
}

/**
 * Enqueues the job that brings the provider to the wanted state of a locked service. It replaces all earlier jobs of the
 * service. The job exists only if the transaction commits.
 */
export function enqueueConverge(jobs: Jobs, tx: EntityManager, service: Service, startAfter?: Date): Promise<void> {
  service.jobNumber += 1;
  const { organizationId, id: serviceId, jobNumber } = service;
  return jobs.enqueue(tx, QUEUE, { organizationId, serviceId, number: jobNumber } satisfies ConvergeJob, { startAfter });
}

/**
 * Defines the queue of the jobs. Call it before the job queues start. The converger decides when to give up. So the
 * queue retries without a practical limit: no other job would continue the work on the service.
 */
export function defineConverge(deps: ConvergeDeps): void {
  const converger = new Converger(deps);
  for (const queue of [QUEUE, FORMER_QUEUE])
    deps.jobs.define<ConvergeJob>(queue, ({ organizationId, serviceId, number }) => converger.run(organizationId, serviceId, number), {
      retryLimit: RETRY_LIMIT,
      retryDelaySeconds: RETRY_DELAY_SECONDS,
      // a job of a closed organization waits: the identity domain checks again shortly after the closing, and reopens the
      // organization if a service was ordered
      waits: deps.isClosed,
    });
}

/** Task for the provider: to build a line, or to release it. */
type ProviderTask = { build: ConnectivityOrder } | { release: ReleaseOrder };

/**
 * Brings the provider to the wanted state of a service: builds it until it is operational or failed, or releases it
 * until it is decommissioned. It may run twice and stop at any point. Each step checks the status while the row is
 * locked. The provider is called between transactions with the service's id, so that a repeated call continues the same
 * order.
 */
export class Converger {
  constructor(private readonly deps: ConvergeDeps) {}

  /**
   * Runs the next step. Does nothing if a later job has replaced the job with this number: otherwise, a job that is
   * repeated after its process was killed would create a second series of jobs.
   * @throws the provider's error if a retry may succeed
   */
  async run(organizationId: string, serviceId: string, jobNumber?: number): Promise<void> {
    const em = organizationEm(this.deps.orm, organizationId);
    const task = await this.#begin(em, serviceId, jobNumber);
    if (!task) return;
    if ('build' in task) await this.#build(em, task.build);
    else await this.#release(em, task.release);
  }

  /**
   * Returns what the provider must do now; null if there is nothing left to do. Changes the status of a pending service
   * to provisioning.
   */
  #begin(em: EntityManager, serviceId: string, jobNumber?: number): Promise<ProviderTask | null> {
    return em.transactional(async (tx) => {
      const service = await locked(tx, serviceId);
      if (service && jobNumber !== undefined && jobNumber < service.jobNumber) return null;
      if (service?.status === PENDING) await move(tx, service, PROVISIONING, this.deps.clock.now());
      if (service?.status === PROVISIONING) {
        service.askedAt = this.deps.clock.now();
        return { build: orderOf(service) };
      }
      if (!service || !mustRelease(service)) return null;
      const { providerReference: reference, name } = service;
      return { release: { releaseId: releaseIdOf(service, await openDecommission(tx, serviceId)), serviceId, reference, name } };
    });
  }

  async #build(em: EntityManager, order: ConnectivityOrder): Promise<void> {
    let outcome: Provisioning;
    try {
      outcome = await this.deps.connectivity.provision(order);
    } catch (error) {
      return this.#buildFailed(em, order.serviceId, error);
    }
    await em.transactional(async (tx) => {
      const service = await locked(tx, order.serviceId);
      if (!service || service.status === OPERATIONAL) return;
      if (outcome.state === 'completed') {
        service.provider = this.deps.connectivity.name;
        service.providerReference ??= outcome.reference;
      }
      // the service was decommissioned while the provider built it
      if (service.status !== PROVISIONING) return mustRelease(service) ? enqueueConverge(this.deps.jobs, tx, service) : undefined;
      if (outcome.state === 'completed') await move(tx, service, OPERATIONAL, this.deps.clock.now());
      else await enqueueConverge(this.deps.jobs, tx, service, this.#later(outcome.checkAfterSeconds * 1000));
    });
  }

  async #buildFailed(em: EntityManager, serviceId: string, error: unknown): Promise<void> {
    const isFinal = await em.transactional(async (tx) => {
      const service = await locked(tx, serviceId);
      if (service?.status !== PROVISIONING) return true;
      service.provisioningFailures += 1;
      const reason = reasonOf(error, service.provisioningFailures);
      if (reason) await move(tx, service, FAILED, this.deps.clock.now(), reason);
      return reason !== null;
    });
    if (!isFinal) throw error;
    this.deps.log.warn({ err: error, service: serviceId }, 'provisioning of a service failed and will not be retried');
  }

  async #release(em: EntityManager, line: ReleaseOrder): Promise<void> {
    let outcome: Release | { state: 'rejected'; reason: string } | { state: 'unreachable' };
    try {
      outcome = await this.deps.connectivity.release(line);
    } catch (error) {
      this.deps.log.warn({ err: error, service: line.serviceId }, 'a service could not be released at the provider');
      outcome = error instanceof ProvisioningRejected ? { state: 'rejected', reason: error.message } : { state: 'unreachable' };
    }
    await em.transactional(async (tx) => {
      const service = await locked(tx, line.serviceId);
      if (!service || !mustRelease(service)) return;
      const open = await openDecommission(tx, service.id);
      if (outcome.state === 'released') return this.#released(tx, service, open?.reason ?? null);
      // a late result of an earlier decommission, which the provider had refused
      if (line.releaseId !== releaseIdOf(service, open)) return;
      if (outcome.state === 'rejected' && service.status === DECOMMISSIONING) {
        const reason = `The provider refused to end the service: ${outcome.reason}`;
        return move(tx, service, await statusBeforeEnd(tx, service), this.deps.clock.now(), reason);
      }
      const change = open ?? (await completedDecommission(tx, service.id));
      if (change) change.failures = outcome.state === 'in_progress' ? 0 : change.failures + 1;
      const pause = outcome.state === 'in_progress' ? outcome.checkAfterSeconds * 1000 : pauseAfter(change?.failures || 1, RELEASE_BACKOFF);
      await enqueueConverge(this.deps.jobs, tx, service, this.#later(pause));
    });
  }

  /**
   * Completes the release. If the provider was asked to build the service a moment ago, the order may still be on its
   * way. Then the release is repeated first.
   */
  async #released(tx: EntityManager, service: Service, reason: string | null): Promise<void> {
    const { askedAt, providerReference, status } = service;
    const now = this.deps.clock.now();
    const isOnItsWay = providerReference === null && askedAt !== null && askedAt.getTime() + ASK_MS > now.getTime();
    if (isOnItsWay) return enqueueConverge(this.deps.jobs, tx, service, new Date(askedAt.getTime() + ASK_MS));
    service.providerReference = null;
    if (status === DECOMMISSIONING) await move(tx, service, DECOMMISSIONED, now, reason);
  }

  #later(ms: number): Date {
    return new Date(this.deps.clock.now().getTime() + ms);
  }
}

/**
 * Returns true if the provider must release a service. A decommissioned service has a reference only if the provider reported
 * later that it has built the service.
 */
const mustRelease = ({ status, providerReference }: Service): boolean =>
  status === DECOMMISSIONING || (status === DECOMMISSIONED && providerReference !== null);

/** Returns the status to which a service returns if the provider refuses to end it. A service that was never built failed. */
async function statusBeforeEnd(tx: EntityManager, { id, provisionedAt }: Service): Promise<ServiceStatus> {
  if (!provisionedAt) return FAILED;
  const ended = await tx.findOne(StatusChange, { serviceId: id, to: DECOMMISSIONING }, { orderBy: { createdAt: 'desc', id: 'desc' } });
  return ended?.from ?? OPERATIONAL;
}

/** Returns the idempotency key of a release. The line of a service that is already decommissioned has its own key. */
const releaseIdOf = ({ id }: Service, open: ServiceChange | null): string => open?.id ?? `${id}/release`;

/**
 * Returns the reason why provisioning has failed; null if a retry may succeed. Details of an outage are not shown to
 * customers.
 */
function reasonOf(error: unknown, failures: number): string | null {
  if (error instanceof ProvisioningRejected) return error.message;
  return failures >= MAX_FAILURES ? `The provider could not be reached in ${failures} attempts.` : null;
}

const locked = (tx: EntityManager, id: string): Promise<Service | null> => tx.findOne(Service, { id }, LOCKED);

function orderOf({ id, name, serviceType, bandwidthMbps, location, sla, configuration, provisioningFailures }: Service): ConnectivityOrder {
  if (!location || bandwidthMbps === null) throw new Error(`The service ${id} is not an internet line.`);
  const options = { redundancy: configuration.redundancy === true, monitoring: configuration.monitoring === true };
  return { serviceId: id, name, technology: serviceType, bandwidthMbps, location, sla, ...options, attempt: provisioningFailures + 1 };
}
