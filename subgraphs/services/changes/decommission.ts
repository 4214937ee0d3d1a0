import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceStatus, serviceStates } from '../inventory/service.states.ts';
import { checkNotInMaintenance } from '../maintenance/maintenance.errors.ts';
import { enqueueConverge, wakeBulk } from './converge-queue.ts';
import type { ServiceChange } from './service-change.entity.ts';
import { move } from './service-move.ts';

/**
 * Returns the status that a service gets when its decommission begins. A pending service is decommissioned immediately, because it was not
 * ordered from the provider yet.
 */
const nextOf = ({ status }: Service): ServiceStatus =>
  status === ServiceStatus.PENDING ? ServiceStatus.DECOMMISSIONED : ServiceStatus.DECOMMISSIONING;

/**
 * Checks that a locked service can be ended now or, if `later` is true, at a later date. A service in maintenance can
 * be ended only at a later date.
 * @throws InvalidState, ServiceInMaintenance
 */
export async function checkCanEnd(tx: EntityManager, service: Service, now: Date, later = false): Promise<void> {
  if (later && service.status === ServiceStatus.MAINTENANCE) return;
  await checkNotInMaintenance(tx, service, now);
  serviceStates.check(service.status, nextOf(service));
}

/**
 * Begins a decommission. A job then releases the service at the provider. The caller must have locked the service and
 * checked it with `checkCanEnd`.
 */
export async function decommission(tx: EntityManager, jobs: Jobs, service: Service, change: ServiceChange, now: Date): Promise<void> {
  change.dueAt = null;
  // a process of the previous release, which does not set this time, may be asking the provider to build
  if (service.status === ServiceStatus.PROVISIONING) service.askedAt = now;
  // the new change must be stored before the status follows
  await tx.flush();
  await move(tx, service, nextOf(service), now, change.reason);
  if (service.status === ServiceStatus.DECOMMISSIONING) await enqueueConverge(jobs, tx, service);
  if (!service.provisionedAt) await wakeBulk(jobs, tx, service);
}
