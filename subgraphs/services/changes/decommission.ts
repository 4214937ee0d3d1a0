import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceStatus, serviceStates } from '../inventory/service.states.ts';
import { enqueueConverge } from './converge.job.ts';
import type { ServiceChange } from './service-change.entity.ts';
import { ServiceInMaintenance } from './service-change.errors.ts';
import { move } from './service-move.ts';

/** Status of a service when its decommission begins. The provider was not yet asked for a pending service. */
const nextOf = ({ status }: Service): ServiceStatus =>
  status === ServiceStatus.PENDING ? ServiceStatus.DECOMMISSIONED : ServiceStatus.DECOMMISSIONING;

/**
 * Checks that a service can be ended now, or `later`. A service in maintenance can be ended only later.
 * @throws InvalidState, ServiceInMaintenance
 */
export function checkCanEnd(service: Service, later = false): void {
  if (service.status === ServiceStatus.MAINTENANCE) {
    if (later) return;
    throw new ServiceInMaintenance(service);
  }
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
}
