import type { EntityManager } from '../../../kernel/database/database.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { ProvisioningRequest } from './provisioning-request.entity.ts';
import { ProvisioningRequestStatus, provisioningRequestStates } from './provisioning-request.states.ts';

/** Maps the status of an ordered service to the status of its provisioning request. */
const FOLLOWS: Partial<Record<ServiceStatus, ProvisioningRequestStatus>> = {
  [ServiceStatus.PROVISIONING]: ProvisioningRequestStatus.IN_PROGRESS,
  [ServiceStatus.OPERATIONAL]: ProvisioningRequestStatus.COMPLETED,
  [ServiceStatus.FAILED]: ProvisioningRequestStatus.FAILED,
  [ServiceStatus.DECOMMISSIONED]: ProvisioningRequestStatus.CANCELLED,
};

const CANCELLING = 'Is being cancelled. Waits until the provider has released the service.';

/**
 * Updates the status of the provisioning request that a service was ordered for, if there is one. Must be called in the
 * transaction that changes the status of the service.
 */
export async function followService(tx: EntityManager, { id, status, statusReason, updatedAt, isRequested }: Service): Promise<void> {
  const next = FOLLOWS[status];
  const isEnding = status === ServiceStatus.DECOMMISSIONING;
  if (isRequested === false || (!next && !isEnding)) return;
  const request = await tx.findOne(ProvisioningRequest, { serviceId: id }, LOCKED);
  if (!next) return request?.explain(CANCELLING, updatedAt);
  // a request that is already finished does not change when its service is decommissioned
  if (request && provisioningRequestStates.allowed(request.status).includes(next)) request.moveTo(next, updatedAt, statusReason);
}
