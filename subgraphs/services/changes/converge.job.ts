import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { type Backoff, pauseAfter } from '../../../kernel/outbound/backoff.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import type { Service } from '../inventory/service.entity.ts';
import { isBuilt, ServiceHold, ServiceStatus } from '../inventory/service.states.ts';
import { lockService } from '../inventory/service-lock.ts';
import { specOf } from '../products/service-spec.ts';
import type { Applied, ApplyOrder, Released, ReleaseOrder, ServiceProvider } from '../providers/service.provider.ts';
import { OrderRejected } from '../providers/service.provider.ts';
import { isAccountSuspended } from '../status/service-transition.ts';
import { StatusChange } from '../status/status-change.entity.ts';
import { BlockStep } from './block-step.ts';
import { ChangeStep } from './change-step.ts';
import {
  BLOCK_QUEUE,
  BULK_CONVERGE_QUEUE,
  CHANGE_QUEUE,
  CONVERGE_QUEUE,
  type ConvergeJob,
  enqueueConverge,
  FORMER_QUEUE,
  wakeBulk,
} from './converge-queue.ts';
import { completedDecommission, openDecommission, possiblyOpenOrders } from './open-changes.ts';
import { finalReason } from './provider-failure.ts';
import type { ServiceChange } from './service-change.entity.ts';
import { move } from './service-move.ts';

const RETRY_LIMIT = 100_000;
const RETRY_DELAY_SECONDS = 1;
/** Delays between attempts to release a service. The attempts continue until the provider responds. */
const RELEASE_BACKOFF: Backoff = { firstMs: 2_000, factor: 2, maxMs: 60 * 60 * 1000 };
/**
 * Maximum time between sending an order to a provider and its arrival. After this time, the provider either has the
 * order or will never receive it.
 */
const ASK_MS = 30_000;
/** Number of jobs of each queue that a process runs in parallel. Most of the time, they wait for the provider. */
const CONCURRENCY = 50;

const { PENDING, PROVISIONING, OPERATIONAL, DECOMMISSIONING, DECOMMISSIONED, FAILED } = ServiceStatus;

export interface ConvergeDeps {
  orm: Orm;
  jobs: Jobs;
  clock: Clock;
  log: Logger;
  connectivity: ServiceProvider;
  organizationLog?: Ports['organizationLog'];
  isClosed?: Ports['isClosed'];
}

/**
 * Defines the queues of the jobs. Call it before the job queues start. The queues retry practically without limit,
 * because the converger decides when to give up. If a queue gave up, no other job would continue the work on the
 * service.
 */
export function defineConverge(deps: ConvergeDeps): void {
  const converger = new Converger(deps);
  for (const queue of [CONVERGE_QUEUE, CHANGE_QUEUE, BLOCK_QUEUE, BULK_CONVERGE_QUEUE, FORMER_QUEUE])
    deps.jobs.define<ConvergeJob>(queue, ({ organizationId, serviceId, number }) => converger.run(organizationId, serviceId, number), {
      retryLimit: RETRY_LIMIT,
      retryDelaySeconds: RETRY_DELAY_SECONDS,
      // a job of a closed organization waits: the identity domain checks again shortly after the closing, and reopens the
      // organization if a service was ordered
      waits: deps.isClosed,
      concurrency: CONCURRENCY,
    });
}

/** Task for the provider: to build a service, to change it, to block or unblock it, or to release it. */
type ProviderTask = { build: ApplyOrder } | { change: ApplyOrder } | { block: ApplyOrder } | { release: ReleaseOrder };

/**
 * Brings the provider to the wanted state of a service: builds it until it is operational or failed, applies its
 * changes in their order, blocks it while it is suspended, or releases it until it is decommissioned. It may run twice and stop at any point. Each step
 * checks the status while the row is locked. The provider is called between transactions with the id of the service or
 * of the change, so that a repeated call continues the same order.
 */
export class Converger {
  readonly #blocks: BlockStep;
  readonly #changes: ChangeStep;

  constructor(private readonly deps: ConvergeDeps) {
    this.#blocks = new BlockStep(deps);
    this.#changes = new ChangeStep(deps, this.#blocks);
  }

  /**
   * Runs the next step of a service. Does nothing if the newest job of the service has a higher number than
   * `jobNumber`. A job that is repeated after its process was killed therefore cannot create a second series of jobs.
   * @throws the provider's error if a retry may succeed
   */
  async run(organizationId: string, serviceId: string, jobNumber?: number): Promise<void> {
    const em = organizationEm(this.deps.orm, organizationId);
    const task = await this.#begin(em, serviceId, jobNumber);
    if (!task) return;
    try {
      if ('build' in task) await this.#build(em, task.build);
      else if ('change' in task) await this.#changes.run(em, task.change);
      else if ('block' in task) await this.#blocks.run(em, organizationId, task.block);
      else await this.#release(em, organizationId, task.release);
    } catch (error) {
      const [step = ''] = Object.keys(task);
      this.#tell(organizationId, serviceId, step);
      throw error;
    }
  }

  /** Writes to the organization's log that the order will be sent to the provider again. Details of an outage are not shown. */
  #tell(organizationId: string, serviceId: string, step: string): void {
    this.deps.organizationLog?.write({
      organizationId,
      level: 'warn',
      source: 'provisioning',
      message: `The provider could not be asked to ${step} the service, or did not respond as expected. It is asked again.`,
      serviceId,
      attributes: { step },
    });
  }

  /**
   * Returns the next order to the provider; null if there is nothing left to do. Changes the status of a pending
   * service to provisioning.
   */
  #begin(em: EntityManager, serviceId: string, jobNumber?: number): Promise<ProviderTask | null> {
    return em.transactional(async (tx) => {
      const service = await lockService(tx, serviceId);
      if (service && jobNumber !== undefined && jobNumber < service.jobNumber) return null;
      if (service?.status === PENDING) await move(tx, service, PROVISIONING, this.deps.clock.now());
      if (service?.status === PROVISIONING && service.held === ServiceHold.BUILT) return null;
      if (service?.status === PROVISIONING && service.held !== ServiceHold.RELEASING) {
        service.askedAt = this.deps.clock.now();
        return { build: orderOf(service) };
      }
      if (service && isBuilt(service.status)) return this.#changes.next(tx, service);
      if (!service || !mustRelease(service)) return null;
      const { providerReference: reference, name } = service;
      const releaseId = releaseIdOf(service, await openDecommission(tx, serviceId));
      return { release: { releaseId, serviceId, reference, openOrderIds: await possiblyOpenOrders(tx, serviceId), name } };
    });
  }

  async #build(em: EntityManager, order: ApplyOrder): Promise<void> {
    let outcome: Applied;
    try {
      outcome = await this.deps.connectivity.apply(order);
    } catch (error) {
      return this.#buildFailed(em, order.serviceId, error);
    }
    await em.transactional(async (tx) => {
      const service = await lockService(tx, order.serviceId);
      if (!service || service.status === OPERATIONAL) return;
      if (outcome.state === 'completed') {
        service.provider = this.deps.connectivity.name;
        service.providerReference ??= outcome.reference;
      }
      // the service was decommissioned, or its bulk is rolled back, while the provider built it
      if (mustRelease(service)) return enqueueConverge(this.deps.jobs, tx, service);
      if (service.status !== PROVISIONING) return;
      if (outcome.state !== 'completed') {
        service.provisioningFailures = 0;
        return enqueueConverge(this.deps.jobs, tx, service, this.#later(outcome.checkAfterSeconds * 1000));
      }
      if (service.held) service.hold(ServiceHold.BUILT, this.deps.clock.now());
      else await move(tx, service, OPERATIONAL, this.deps.clock.now());
      await wakeBulk(this.deps.jobs, tx, service);
    });
  }

  async #buildFailed(em: EntityManager, serviceId: string, error: unknown): Promise<void> {
    const isFinal = await em.transactional(async (tx) => {
      const service = await lockService(tx, serviceId);
      // another delivery of the same job has built a held service
      if (service?.status !== PROVISIONING || service.held === ServiceHold.BUILT) return true;
      service.provisioningFailures += 1;
      // the retry releases a service whose bulk is rolled back
      const reason = service.held === ServiceHold.RELEASING ? null : finalReason(error, service.provisioningFailures);
      if (!reason) return false;
      await move(tx, service, FAILED, this.deps.clock.now(), reason);
      // a refused order was not built; any other order may be built later, so it is released
      if (error instanceof OrderRejected) service.askedAt = null;
      else await enqueueConverge(this.deps.jobs, tx, service);
      await wakeBulk(this.deps.jobs, tx, service);
      return true;
    });
    if (!isFinal) throw error;
    this.deps.log.warn({ err: error, service: serviceId }, 'provisioning of a service failed and will not be retried');
  }

  async #release(em: EntityManager, organizationId: string, line: ReleaseOrder): Promise<void> {
    let outcome: Released | { state: 'rejected'; reason: string } | { state: 'unreachable' };
    try {
      outcome = await this.deps.connectivity.release(line);
    } catch (error) {
      this.deps.log.warn({ err: error, service: line.serviceId }, 'a service could not be released at the provider');
      this.#tell(organizationId, line.serviceId, 'release');
      outcome = error instanceof OrderRejected ? { state: 'rejected', reason: error.message } : { state: 'unreachable' };
    }
    await em.transactional(async (tx) => {
      const service = await lockService(tx, line.serviceId);
      if (!service || !mustRelease(service)) return;
      let open = await openDecommission(tx, service.id);
      // a job that reports that the service was built after all has enqueued another release
      if (outcome.state === 'released' && service.providerReference !== line.reference) return;
      if (outcome.state === 'released') return this.#released(tx, service, open?.reason ?? null);
      // a late result of an earlier decommission, which the provider had refused
      if (line.releaseId !== releaseIdOf(service, open)) return;
      if (outcome.state === 'rejected' && service.status === DECOMMISSIONING) {
        const reason = `The provider refused to end the service: ${outcome.reason}`;
        await move(tx, service, await statusBeforeEnd(tx, service), this.deps.clock.now(), reason);
        // the rollback of its bulk continues to release the service
        if (service.held !== ServiceHold.RELEASING) return;
        open = null;
      }
      const change = open ?? (await completedDecommission(tx, service.id));
      const failures = outcome.state === 'in_progress' ? 0 : (change?.failures ?? service.provisioningFailures) + 1;
      if (change) change.failures = failures;
      else service.provisioningFailures = failures;
      const pause = outcome.state === 'in_progress' ? outcome.checkAfterSeconds * 1000 : pauseAfter(failures, RELEASE_BACKOFF);
      await enqueueConverge(this.deps.jobs, tx, service, this.#later(pause));
    });
  }

  /**
   * Completes the release of a service. If the provider was asked to build the service less than `ASK_MS` ago, that
   * order may not have arrived yet. In this case, a new job repeats the release after that time.
   */
  async #released(tx: EntityManager, service: Service, reason: string | null): Promise<void> {
    const { askedAt, providerReference, status } = service;
    const now = this.deps.clock.now();
    const isOnItsWay = providerReference === null && askedAt !== null && askedAt.getTime() + ASK_MS > now.getTime();
    if (isOnItsWay) return enqueueConverge(this.deps.jobs, tx, service, new Date(askedAt.getTime() + ASK_MS));
    service.providerReference = null;
    service.askedAt = null;
    if (status === DECOMMISSIONING) await move(tx, service, DECOMMISSIONED, now, reason);
    else if (status === PROVISIONING) await move(tx, service, FAILED, now, `Rolled back with ${service.bulkId}.`);
    if (!service.provisionedAt) await wakeBulk(this.deps.jobs, tx, service);
  }

  #later(ms: number): Date {
    return new Date(this.deps.clock.now().getTime() + ms);
  }
}

/**
 * Returns true if the provider must release a service: it is being decommissioned, its bulk is rolled back, or it
 * failed and the provider may have built it or may still build it. A decommissioned service must be released again if
 * it has a reference, because the provider reported only later that it had built the service.
 */
function mustRelease({ status, providerReference, askedAt, held }: Service): boolean {
  if (status === DECOMMISSIONING) return true;
  if (held === ServiceHold.RELEASING && status === PROVISIONING) return true;
  if (status === FAILED) return providerReference !== null || askedAt !== null;
  return providerReference !== null && status === DECOMMISSIONED;
}

/**
 * Returns the status that a service gets if the provider refuses to take it down: the status before the decommission,
 * or `failed` if the service was never built.
 */
async function statusBeforeEnd(tx: EntityManager, service: Service): Promise<ServiceStatus> {
  const { id, provisionedAt } = service;
  if (!provisionedAt) return FAILED;
  const ended = await tx.findOne(StatusChange, { serviceId: id, to: DECOMMISSIONING }, { orderBy: { createdAt: 'desc', id: 'desc' } });
  const before = ended?.from ?? OPERATIONAL;
  // the account may have paid meanwhile
  return before === ServiceStatus.SUSPENDED && !(await isAccountSuspended(tx, service)) ? OPERATIONAL : before;
}

/**
 * Returns the idempotency key of a release: the id of the decommission that has not ended. If the service has no
 * decommission, for example because its provisioning failed, the release has its own key.
 */
const releaseIdOf = ({ id }: Service, open: ServiceChange | null): string => open?.id ?? `${id}/release`;

function orderOf(service: Service): ApplyOrder {
  const { id, name, provisioningFailures } = service;
  return { orderId: id, serviceId: id, reference: null, name, spec: specOf(service), attempt: provisioningFailures + 1 };
}
