import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { productOf } from '../products/registry.ts';
import { followService } from '../provisioning-requests/provisioning-request-follow.ts';
import { suspendWithAccount, transition } from '../status/service-transition.ts';
import { followChanges } from './service-change-follow.ts';

/**
 * Changes the status of a locked service, and updates the records that follow it: its provisioning request and its
 * changes. When the service fails or is decommissioned, its product releases the resources that it has reserved for the
 * service.
 * @throws InvalidState
 */
export async function move(tx: EntityManager, service: Service, to: ServiceStatus, now: Date, reason: string | null = null): Promise<void> {
  const { status: from } = service;
  await transition(tx, service, to, now, reason);
  await followService(tx, service);
  await followChanges(tx, service, from);
  if (to === ServiceStatus.FAILED || to === ServiceStatus.DECOMMISSIONED) await productOf(service.type).released?.(tx, service);
  await suspendWithAccount(tx, service, now);
}
