import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { cancelMaintenance } from '../maintenance/maintenance-windows.ts';
import { openChanges, openDecommission } from './open-changes.ts';
import { ServiceChangeStatus } from './service-change.states.ts';

const { IN_PROGRESS, COMPLETED, FAILED, CANCELLED } = ServiceChangeStatus;
const { DECOMMISSIONING, DECOMMISSIONED } = ServiceStatus;
const ENDED = 'The service is taken down.';

/**
 * Updates the changes of a service after its status has changed from `from`, in the same transaction. When a service is
 * taken down, its maintenance is cancelled. Its other changes are cancelled too, or fail if they have begun.
 */
export async function followChanges(tx: EntityManager, service: Service, from: ServiceStatus): Promise<void> {
  const { id, status, updatedAt } = service;
  const isEnding = status === DECOMMISSIONING || status === DECOMMISSIONED;
  // a decommission is in progress only while the service has this status
  if (isEnding || from === DECOMMISSIONING) await followDecommission(tx, service);
  if (!isEnding) return;
  await cancelMaintenance(tx, service, updatedAt);
  for (const change of await openChanges(tx, id)) change.moveTo(change.status === IN_PROGRESS ? FAILED : CANCELLED, updatedAt, ENDED);
}

async function followDecommission(tx: EntityManager, { id, status, statusReason, updatedAt }: Service): Promise<void> {
  const change = await openDecommission(tx, id);
  if (!change) return;
  if (status === DECOMMISSIONING) change.moveTo(IN_PROGRESS, updatedAt);
  else if (status === DECOMMISSIONED) change.moveTo(COMPLETED, updatedAt);
  else if (change.status === IN_PROGRESS) change.moveTo(FAILED, updatedAt, statusReason);
}
