import type { EntityManager } from '../../../kernel/database/database.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { ProvisioningRequest } from './provisioning-request.entity.ts';
import { ProvisioningRequestStatus } from './provisioning-request.states.ts';

/** What a request comes to when its service has come so far. */
const FOLLOWS: Partial<Record<ServiceStatus, ProvisioningRequestStatus>> = {
  [ServiceStatus.PROVISIONING]: ProvisioningRequestStatus.IN_PROGRESS,
  [ServiceStatus.OPERATIONAL]: ProvisioningRequestStatus.COMPLETED,
  [ServiceStatus.FAILED]: ProvisioningRequestStatus.FAILED,
};

/** Moves the request that a service was ordered for, if there is one, in the transaction in which the building of the service got on. */
export async function followService(tx: EntityManager, { id, status, statusReason, updatedAt }: Service): Promise<void> {
  const next = FOLLOWS[status];
  if (!next) return;
  const request = await tx.findOne(ProvisioningRequest, { serviceId: id }, LOCKED);
  request?.moveTo(next, updatedAt, statusReason);
}
