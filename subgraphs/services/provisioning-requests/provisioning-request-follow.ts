import type { EntityManager } from '../../../kernel/database/database.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { ProvisioningRequest } from './provisioning-request.entity.ts';
import { ProvisioningRequestStatus, provisioningRequestStates } from './provisioning-request.states.ts';

/** Status of a provisioning request by the status of the ordered service. */
const FOLLOWS: Partial<Record<ServiceStatus, ProvisioningRequestStatus>> = {
  [ServiceStatus.PROVISIONING]: ProvisioningRequestStatus.IN_PROGRESS,
  [ServiceStatus.OPERATIONAL]: ProvisioningRequestStatus.COMPLETED,
  [ServiceStatus.FAILED]: ProvisioningRequestStatus.FAILED,
  [ServiceStatus.DECOMMISSIONING]: ProvisioningRequestStatus.CANCELLED,
  [ServiceStatus.DECOMMISSIONED]: ProvisioningRequestStatus.CANCELLED,
};

/**
 * Updates the status of the provisioning request that a service was ordered for, if there is one. Runs in the
 * transaction that changes the service's status.
 */
export async function followService(tx: EntityManager, { id, status, statusReason, updatedAt }: Service): Promise<void> {
  const next = FOLLOWS[status];
  if (!next) return;
  const request = await tx.findOne(ProvisioningRequest, { serviceId: id }, LOCKED);
  // a finished request stays as it is when its service is decommissioned later
  if (request && provisioningRequestStates.allowed(request.status).includes(next)) request.moveTo(next, updatedAt, statusReason);
}
