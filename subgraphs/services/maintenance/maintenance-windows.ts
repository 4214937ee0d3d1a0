import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { Service } from '../inventory/service.entity.ts';
import { isInService, ServiceStatus } from '../inventory/service.states.ts';
import { RECENT_MS } from '../samples/sample.ts';
import { recentSamples } from '../samples/sample-store.ts';
import { observedStatus } from '../status/observed-status.ts';
import { suspendWithAccount, transition } from '../status/service-transition.ts';
import { serviceMaintenanceScheduled } from '../status/status.events.ts';
import { MaintenanceWindow } from './maintenance-window.entity.ts';
import { MaintenanceImpact, MaintenanceStatus } from './maintenance-window.states.ts';

const { SCHEDULED, IN_PROGRESS, COMPLETED, CANCELLED } = MaintenanceStatus;

export interface PlannedMaintenance {
  startsAt: Date;
  endsAt: Date;
  description: string;
  impact: MaintenanceImpact;
  /** Change of the service that is made during the maintenance. Null if there is none. */
  serviceChangeId: string | null;
}

/** Plans a maintenance of a locked service, and announces it. */
export async function planMaintenance(
  tx: EntityManager,
  service: Service,
  planned: PlannedMaintenance,
  now: Date,
): Promise<MaintenanceWindow> {
  const { id: serviceId, organizationId } = service;
  const known = { id: newId('maintenanceWindow'), organizationId, serviceId, dueAt: planned.startsAt, createdAt: now, updatedAt: now };
  const window = Object.assign(new MaintenanceWindow(), planned, known);
  tx.persist(window);
  await record(tx, serviceMaintenanceScheduled(service, window));
  return window;
}

/**
 * Starts or ends a due maintenance window of a locked service. A window that could not be started before its end, for
 * example because no process was running, ends without changing the service.
 */
export async function advanceMaintenance(tx: EntityManager, service: Service, window: MaintenanceWindow, now: Date): Promise<void> {
  if (window.status === IN_PROGRESS || window.endsAt <= now) return endMaintenance(tx, service, window, COMPLETED, now);
  window.moveTo(IN_PROGRESS, now);
  if (window.impact === MaintenanceImpact.NONE || !isInService(service.status)) return;
  window.statusBefore = service.status === ServiceStatus.MAINTENANCE ? await statusBefore(tx, service) : service.status;
  if (service.status !== ServiceStatus.MAINTENANCE) await transition(tx, service, ServiceStatus.MAINTENANCE, now, window.description);
}

/** Starts or ends all due maintenance windows of a locked service. */
export async function advanceDueMaintenance(tx: EntityManager, service: Service, now: Date): Promise<void> {
  for (const window of await openWindows(tx, service.id))
    if (window.dueAt && window.dueAt <= now) await advanceMaintenance(tx, service, window, now);
}

/** Cancels the windows of a locked service that have not ended: those of one change, or all of them. */
export async function cancelMaintenance(tx: EntityManager, service: Service, now: Date, serviceChangeId?: string): Promise<void> {
  for (const window of await openWindows(tx, service.id))
    if (serviceChangeId === undefined || window.serviceChangeId === serviceChangeId)
      await endMaintenance(tx, service, window, CANCELLED, now);
}

/**
 * Returns the maintenance window of a locked service that is in progress. If there are several, returns the one that
 * ends last. Null if there is none.
 */
export async function presentMaintenance(tx: EntityManager, serviceId: string): Promise<MaintenanceWindow | null> {
  return lastInProgress(await openWindows(tx, serviceId));
}

/** Returns the window in progress that ends last. Null if there is none. */
export const lastInProgress = (windows: readonly MaintenanceWindow[]): MaintenanceWindow | null =>
  windows.filter(({ status }) => status === IN_PROGRESS).sort((one, other) => other.endsAt.getTime() - one.endsAt.getTime())[0] ?? null;

/**
 * Ends or cancels a window. If it was the last window that kept the service in maintenance, the service gets the status
 * that its recent measurements show, or its status before the maintenance if there are too few measurements.
 */
async function endMaintenance(
  tx: EntityManager,
  service: Service,
  window: MaintenanceWindow,
  status: MaintenanceStatus,
  now: Date,
): Promise<void> {
  window.moveTo(status, now);
  const { statusBefore: before } = window;
  if (!before || service.status !== ServiceStatus.MAINTENANCE) return;
  const others = (await openWindows(tx, service.id)).filter((one) => one !== window && one.statusBefore !== null);
  if (others.length > 0) return;
  const samples = await recentSamples(tx, service.id, new Date(now.getTime() - RECENT_MS));
  await transition(tx, service, observedStatus(before, samples), now);
  await suspendWithAccount(tx, service, now);
}

async function statusBefore(tx: EntityManager, { id }: Service): Promise<ServiceStatus> {
  const windows = await openWindows(tx, id);
  return windows.find((window) => window.statusBefore !== null)?.statusBefore ?? ServiceStatus.OPERATIONAL;
}

const openWindows = (tx: EntityManager, serviceId: string): Promise<MaintenanceWindow[]> =>
  tx.find(
    MaintenanceWindow,
    { serviceId, status: { $in: [SCHEDULED, IN_PROGRESS] } },
    { ...LOCKED, orderBy: { startsAt: 'asc', id: 'asc' } },
  );
