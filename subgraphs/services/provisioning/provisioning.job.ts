import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import type { ConnectivityOrder, ConnectivityProvider, Provisioning } from '../providers/connectivity.provider.ts';
import { ProvisioningRejected } from '../providers/connectivity.provider.ts';
import { followService } from '../provisioning-requests/provisioning-request-follow.ts';
import { transition } from '../status/service-transition.ts';

const QUEUE = 'services.provision';
/** Number of failed attempts after which provisioning fails. The last attempt is about 40 minutes after the first. */
const MAX_FAILURES = 15;
const RETRY_DELAY_SECONDS = 1;

interface ProvisioningJob {
  organizationId: string;
  serviceId: string;
}

export interface ProvisioningDeps {
  orm: Orm;
  jobs: Jobs;
  clock: Clock;
  log: Logger;
  connectivity: ConnectivityProvider;
  isClosed?: Ports['isClosed'];
}

/** Enqueues the job that provisions a service. The job exists only if the transaction commits. */
export const enqueueProvisioning = (jobs: Jobs, tx: EntityManager, { organizationId, id }: Service, startAfter?: Date): Promise<void> =>
  jobs.enqueue(tx, QUEUE, { organizationId, serviceId: id } satisfies ProvisioningJob, { startAfter });

/**
 * Defines the queue of provisioning jobs. Call it before the job queues start. The queue allows more retries than
 * MAX_FAILURES, so that the provisioner gives up first and marks the service as failed.
 */
export function defineProvisioning(deps: ProvisioningDeps): void {
  const provisioner = new Provisioner(deps);
  deps.jobs.define<ProvisioningJob>(QUEUE, ({ organizationId, serviceId }) => provisioner.run(organizationId, serviceId), {
    retryLimit: MAX_FAILURES * 2,
    retryDelaySeconds: RETRY_DELAY_SECONDS,
    // a job of a closed organization waits: the identity domain checks again shortly after the closing, and reopens the
    // organization if a service was ordered
    waits: deps.isClosed,
  });
}

/**
 * Provisions a service: from pending to operational or failed. It may run twice and stop at any point. Each step checks
 * the status while the row is locked. The provider is called between transactions with the service's id, so that a
 * repeated call continues the same order.
 */
export class Provisioner {
  constructor(private readonly deps: ProvisioningDeps) {}

  /** Runs the next steps of provisioning. @throws the provider's error if a retry may succeed */
  async run(organizationId: string, serviceId: string): Promise<void> {
    const em = organizationEm(this.deps.orm, organizationId);
    const order = await this.#begin(em, serviceId);
    if (!order) return;
    let outcome: Provisioning;
    try {
      outcome = await this.deps.connectivity.provision(order);
    } catch (error) {
      return this.#failed(em, serviceId, error);
    }
    return this.#settle(em, serviceId, outcome);
  }

  /**
   * Changes the status of a pending service to provisioning, and returns the order for the provider. Returns null if
   * there is nothing left to do.
   */
  #begin(em: EntityManager, serviceId: string): Promise<ConnectivityOrder | null> {
    return em.transactional(async (tx) => {
      const service = await locked(tx, serviceId);
      if (service?.status === ServiceStatus.PENDING) await this.#move(tx, service, ServiceStatus.PROVISIONING);
      return service?.status === ServiceStatus.PROVISIONING ? orderOf(service) : null;
    });
  }

  #settle(em: EntityManager, serviceId: string, outcome: Provisioning): Promise<void> {
    return em.transactional(async (tx) => {
      const service = await locked(tx, serviceId);
      if (service?.status !== ServiceStatus.PROVISIONING) return;
      if (outcome.state === 'in_progress') {
        const next = this.deps.clock.now().getTime() + outcome.checkAfterSeconds * 1000;
        await enqueueProvisioning(this.deps.jobs, tx, service, new Date(next));
        return;
      }
      service.provider = this.deps.connectivity.name;
      service.providerReference = outcome.reference;
      await this.#move(tx, service, ServiceStatus.OPERATIONAL);
    });
  }

  async #failed(em: EntityManager, serviceId: string, error: unknown): Promise<void> {
    const isFinal = await em.transactional(async (tx) => {
      const service = await locked(tx, serviceId);
      if (service?.status !== ServiceStatus.PROVISIONING) return true;
      service.provisioningFailures += 1;
      const reason = reasonOf(error, service.provisioningFailures);
      if (reason) await this.#move(tx, service, ServiceStatus.FAILED, reason);
      return reason !== null;
    });
    if (!isFinal) throw error;
    this.deps.log.warn({ err: error, service: serviceId }, 'provisioning of a service failed and will not be retried');
  }

  async #move(tx: EntityManager, service: Service, to: ServiceStatus, reason: string | null = null): Promise<void> {
    await transition(tx, service, to, this.deps.clock.now(), reason);
    await followService(tx, service);
  }
}

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
