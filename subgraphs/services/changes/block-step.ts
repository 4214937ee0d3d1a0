import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { type Backoff, pauseAfter } from '../../../kernel/outbound/backoff.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { Service } from '../inventory/service.entity.ts';
import { isBuilt, isInService, ServiceStatus } from '../inventory/service.states.ts';
import { lockService } from '../inventory/service-lock.ts';
import { specOf } from '../products/service-spec.ts';
import { type Applied, type ApplyOrder, OrderRejected, type ServiceProvider } from '../providers/service.provider.ts';
import { enqueueChanges } from './converge-queue.ts';
import { ServiceBlock } from './service-block.entity.ts';

/** Delays between attempts to block or unblock a service. The attempts continue until the provider has done it. */
const BACKOFF: Backoff = { firstMs: 2_000, factor: 2, maxMs: 60 * 60 * 1000 };

export interface BlockStepDeps {
  jobs: Jobs;
  clock: Clock;
  log: Logger;
  connectivity: ServiceProvider;
  organizationLog?: Ports['organizationLog'];
}

/**
 * Blocks a suspended service at the provider, and unblocks it after the suspension. An order that has begun is completed, even if the
 * suspension ends meanwhile. After that, the next order brings the provider to the state that is wanted then.
 */
export class BlockStep {
  constructor(private readonly deps: BlockStepDeps) {}

  /** Returns the order that blocks or unblocks a locked service. Null if the provider is in the wanted state. */
  async next(tx: EntityManager, service: Service): Promise<{ block: ApplyOrder } | null> {
    const block = await tx.findOne(ServiceBlock, { id: service.id }, LOCKED);
    if (!block) return null;
    if (!block.isOpen && isWanted(block, service)) {
      block.dueAt = null;
      return null;
    }
    block.open();
    return { block: orderOf(service, block) };
  }

  /** Asks the provider to block or unblock a service, and stores the result. The sweeper repeats an order that has not succeeded. */
  async run(em: EntityManager, organizationId: string, order: ApplyOrder): Promise<void> {
    let outcome: Applied | { state: 'rejected' | 'unreachable' };
    try {
      outcome = await this.deps.connectivity.apply(order);
    } catch (error) {
      outcome = { state: error instanceof OrderRejected ? 'rejected' : 'unreachable' };
      this.#tell(organizationId, order, error);
    }
    await em.transactional(async (tx) => {
      const service = await lockService(tx, order.serviceId);
      const block = await tx.findOne(ServiceBlock, { id: order.serviceId }, LOCKED);
      // a job that ran at the same time has stored the result
      if (!service || !block?.isOpen || block.orderId !== order.orderId) return;
      const now = this.deps.clock.now();
      if (outcome.state === 'in_progress') {
        block.dueAt = new Date(now.getTime() + outcome.checkAfterSeconds * 1000);
      } else if (outcome.state === 'completed') {
        block.complete();
        block.dueAt = isWanted(block, service) ? null : now;
        if (isBuilt(service.status)) service.providerReference = outcome.reference;
        // changes have waited until the service was unblocked
        if (isInService(service.status)) await enqueueChanges(this.deps.jobs, tx, service);
      } else {
        block.failures += 1;
        block.dueAt = new Date(now.getTime() + pauseAfter(block.failures, BACKOFF));
        // the next attempt is a new order, because the provider would refuse this one again
        if (outcome.state === 'rejected') block.isOpen = false;
      }
    });
  }

  /** Writes to the organization's log that the order will be repeated. Details of an outage are not shown. */
  #tell(organizationId: string, { serviceId, spec: { isBlocked } }: ApplyOrder, error: unknown): void {
    const step = isBlocked ? 'block' : 'unblock';
    this.deps.log.warn({ err: error, service: serviceId }, `the provider did not ${step} a service and will be asked again`);
    const reason =
      error instanceof OrderRejected ? `refused to ${step} the service: ${error.message}` : `could not be asked to ${step} the service.`;
    this.deps.organizationLog?.write({
      organizationId,
      level: 'warn',
      source: 'provisioning',
      message: `The provider ${reason} It is asked again.`,
      serviceId,
      attributes: { step },
    });
  }
}

const isWanted = ({ isBlocked }: ServiceBlock, { status }: Service): boolean => isBlocked === (status === ServiceStatus.SUSPENDED);

function orderOf(service: Service, { orderId, isBlocked, failures }: ServiceBlock): ApplyOrder {
  const { id: serviceId, providerReference: reference, name } = service;
  return {
    orderId,
    serviceId,
    reference,
    name,
    spec: { ...specOf(service), ...(!isBlocked && { isBlocked: true }) },
    attempt: failures + 1,
  };
}
