import type { EntityManager } from '../../../kernel/database/database.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { ServiceChange } from './service-change.entity.ts';
import { ServiceChangeKind, ServiceChangeStatus } from './service-change.states.ts';

const { ACKNOWLEDGED, IN_PROGRESS, COMPLETED, FAILED } = ServiceChangeStatus;

/** Returns the scheduled or running decommission of a locked service. */
export const openDecommission = (tx: EntityManager, serviceId: string): Promise<ServiceChange | null> =>
  tx.findOne(ServiceChange, { serviceId, kind: ServiceChangeKind.DECOMMISSION, status: { $in: [ACKNOWLEDGED, IN_PROGRESS] } }, LOCKED);

/** Returns the decommission that has ended a locked service. */
export const completedDecommission = (tx: EntityManager, serviceId: string): Promise<ServiceChange | null> =>
  tx.findOne(ServiceChange, { serviceId, kind: ServiceChangeKind.DECOMMISSION, status: COMPLETED }, LOCKED);

/**
 * Updates the decommission of a service, if there is one. Runs in the transaction that changes the status of the
 * service.
 */
export async function followDecommission(tx: EntityManager, { id, status, statusReason, updatedAt }: Service): Promise<void> {
  const change = await openDecommission(tx, id);
  if (!change) return;
  if (status === ServiceStatus.DECOMMISSIONING) change.moveTo(IN_PROGRESS, updatedAt);
  else if (status === ServiceStatus.DECOMMISSIONED) change.moveTo(COMPLETED, updatedAt);
  else if (change.status === IN_PROGRESS) change.moveTo(FAILED, updatedAt, statusReason);
}
