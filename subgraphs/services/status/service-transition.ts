import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { insertRecord } from '../../../kernel/records/row-writer.ts';
import type { Service } from '../inventory/service.entity.ts';
import { serviceDecommissioned, serviceProvisioned, serviceStatusChanged } from '../inventory/service.events.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import { serviceDown, serviceRestored } from './status.events.ts';
import { StatusChange } from './status-change.entity.ts';

/** Statuses of services that are suspended together with their account. */
export const BLOCKABLE: readonly ServiceStatus[] = [ServiceStatus.OPERATIONAL, ServiceStatus.DEGRADED, ServiceStatus.DOWN];

/** Status reason of a suspended service. */
export const SUSPENSION_REASON = 'An invoice of the account has not been paid for a long time.';

/** Returns true if the newest billing event of an account requires that its services are suspended. */
export async function isAccountSuspended(tx: EntityManager, { organizationId, accountId }: Service): Promise<boolean> {
  const [row] = await tx.execute<{ suspended: boolean }[]>(
    'select "suspended" from "services"."account_suspension" where "organization_id" = ? and "account_id" = ?',
    [organizationId, accountId],
  );
  return row?.suspended ?? false;
}

/**
 * Suspends a service if its account is suspended. Call it when a service becomes operational again: its account may have been suspended
 * while the service was being built, in maintenance, or about to end. The caller must have locked the row of the service.
 */
export async function suspendWithAccount(tx: EntityManager, service: Service, now: Date): Promise<void> {
  if (BLOCKABLE.includes(service.status) && (await isAccountSuspended(tx, service)))
    await transition(tx, service, ServiceStatus.SUSPENDED, now, SUSPENSION_REASON);
}

/**
 * Changes the status of a service, and stores the history entry and the events. The caller must have locked the service
 * in the transaction `tx`.
 * @throws InvalidState
 */
export async function transition(
  tx: EntityManager,
  service: Service,
  to: ServiceStatus,
  now: Date,
  reason: string | null = null,
): Promise<void> {
  const { status: from, provisionedAt, downSince } = service;
  service.moveTo(to, now, reason);
  await insertRecord(tx, statusChange(service, from));
  if (!provisionedAt && service.provisionedAt) await record(tx, serviceProvisioned(service));
  await record(tx, serviceStatusChanged(service, from));
  if (!downSince && service.downSince) await record(tx, serviceDown(service, from));
  if (downSince && [ServiceStatus.OPERATIONAL, ServiceStatus.DEGRADED].includes(to))
    await record(tx, serviceRestored(service, from, downSince));
  if (to === ServiceStatus.DECOMMISSIONED) await record(tx, serviceDecommissioned(service, from));
}

/**
 * Creates the history entry for the current status of a service. `from` is the previous status. `from` is null for the first entry of a
 * service.
 */
export function statusChange(service: Service, from: ServiceStatus | null): StatusChange {
  const { organizationId, id: serviceId, status: to, statusReason: reason, updatedAt: createdAt } = service;
  return Object.assign(new StatusChange(), { id: newId('statusChange'), organizationId, serviceId, from, to, reason, createdAt });
}
