import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { Service } from '../inventory/service.entity.ts';
import { isInService } from '../inventory/service.states.ts';
import { lockService } from '../inventory/service-lock.ts';
import { specOf } from '../products/service-spec.ts';
import type { Applied, ApplyOrder, ServiceProvider } from '../providers/service.provider.ts';
import type { BlockStep } from './block-step.ts';
import {
  applyChange,
  type ChangeableService,
  changeable,
  checkChange,
  checkedPlanOf,
  concernsProvider,
  planOf,
  readsOf,
} from './change-application.ts';
import type { PlannedChange } from './change-plan.ts';
import { enqueueChanges, wakeBulk } from './converge-queue.ts';
import { isDue, openChanges } from './open-changes.ts';
import { finalReason } from './provider-failure.ts';
import { ServiceChange } from './service-change.entity.ts';
import { ServiceChangeStatus } from './service-change.states.ts';

export interface ChangeStepDeps {
  jobs: Jobs;
  clock: Clock;
  connectivity: ServiceProvider;
}

/**
 * Applies the changes of a service one after another. A change is applied to the record only after the provider has
 * made it. If the provider refuses it, the service stays as it is.
 */
export class ChangeStep {
  constructor(
    private readonly deps: ChangeStepDeps,
    private readonly blocks: BlockStep,
  ) {}

  /**
   * Applies the due changes of a service, oldest first, until one of them needs the provider. A change that has begun is first, because an
   * older change may have waited for its date until now, and the provider gets only one change at a time. Returns the order for this change,
   * or null if no change needs the provider. Changes wait until the service is neither suspended nor
   * blocked at the provider. Only a change that has begun is completed before the service is blocked, because the order
   * to block a service contains its terms.
   */
  async next(tx: EntityManager, service: Service): Promise<{ change: ApplyOrder } | { block: ApplyOrder } | null> {
    const due = (await openChanges(tx, service.id)).filter(isDue);
    const begun = due.filter(({ status }) => status === ServiceChangeStatus.IN_PROGRESS);
    const block = begun.length > 0 ? null : await this.blocks.next(tx, service);
    if (block) return block;
    const subject = await changeable(tx, service);
    const waiting = isInService(service.status) ? due.filter((change) => !begun.includes(change)) : [];
    for (const change of [...begun, ...waiting]) {
      const plan = await planAgain(tx, subject, change, this.deps.clock.now());
      if (plan && concernsProvider(service, plan)) return { change: changeOrderOf(service, change, plan) };
      if (plan) await applyChange(tx, subject, change, plan, this.deps.clock.now());
      await wakeBulk(this.deps.jobs, tx, change);
    }
    return begun.length > 0 ? this.blocks.next(tx, service) : null;
  }

  /**
   * Asks the provider for a change, and stores the result.
   * @throws the provider's error if a retry may succeed
   */
  async run(em: EntityManager, order: ApplyOrder): Promise<void> {
    let outcome: Applied | { state: 'rejected'; reason: string };
    try {
      outcome = await this.deps.connectivity.apply(order);
    } catch (error) {
      const reason = await this.#finalReason(em, order, error);
      if (!reason) throw error;
      outcome = { state: 'rejected', reason };
    }
    await em.transactional(async (tx) => {
      const service = await lockService(tx, order.serviceId);
      const change = await tx.findOne(ServiceChange, { id: order.orderId }, LOCKED);
      if (!service || change?.status !== ServiceChangeStatus.IN_PROGRESS) return;
      if (outcome.state === 'in_progress') {
        change.failures = 0;
        return enqueueChanges(this.deps.jobs, tx, service, new Date(this.deps.clock.now().getTime() + outcome.checkAfterSeconds * 1000));
      }
      const now = this.deps.clock.now();
      if (outcome.state === 'rejected') {
        change.moveTo(ServiceChangeStatus.FAILED, now, outcome.reason);
        service.revise(now);
      } else {
        service.providerReference = outcome.reference;
        const subject = await changeable(tx, service);
        await applyChange(tx, subject, change, planOf(subject, change), now);
      }
      await enqueueChanges(this.deps.jobs, tx, service);
      await wakeBulk(this.deps.jobs, tx, change);
    });
  }

  /**
   * Counts a failed attempt to change a service. Returns the reason of the failure if there must be no further attempt,
   * otherwise null.
   */
  #finalReason(em: EntityManager, { orderId, serviceId }: ApplyOrder, error: unknown): Promise<string | null> {
    return em.transactional(async (tx) => {
      await lockService(tx, serviceId);
      const change = await tx.findOne(ServiceChange, { id: orderId }, LOCKED);
      if (!change) return null;
      change.failures += 1;
      return finalReason(error, change.failures);
    });
  }
}

const changeOrderOf = (service: Service, { id: orderId, failures }: ServiceChange, { terms }: PlannedChange): ApplyOrder => ({
  orderId,
  serviceId: service.id,
  reference: service.providerReference,
  name: terms.name,
  spec: specOf(service, terms),
  attempt: failures + 1,
});

/**
 * Computes the result of a due change. A change that has not begun is first checked again, because the service and the
 * catalog may have changed since it was ordered. If it is no longer possible, the change fails, and the function
 * returns null.
 */
async function planAgain(tx: EntityManager, subject: ChangeableService, change: ServiceChange, now: Date): Promise<PlannedChange | null> {
  try {
    if (change.status === ServiceChangeStatus.IN_PROGRESS) return planOf(subject, change);
    const plan = checkedPlanOf(subject, change);
    await checkChange(readsOf(tx), subject, plan.terms, change.wanted ?? {});
    change.moveTo(ServiceChangeStatus.IN_PROGRESS, now);
    return plan;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    change.moveTo(ServiceChangeStatus.FAILED, now, error.message);
    subject.service.revise(now);
    return null;
  }
}
