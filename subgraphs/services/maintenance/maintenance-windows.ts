import type { EntityManager } from '../../../kernel/database/database.ts';
import { record, recordAll } from '../../../kernel/events/outbox.ts';
import type { ChangeSet } from '../../../kernel/records/changes.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { Service } from '../inventory/service.entity.ts';
import { isInService, ServiceStatus } from '../inventory/service.states.ts';
import { RECENT_MS } from '../samples/sample.ts';
import { recentSamples } from '../samples/sample-store.ts';
import { observedStatus } from '../status/observed-status.ts';
import { suspendWithAccount, transition } from '../status/service-transition.ts';
import { serviceMaintenanceScheduled } from '../status/status.events.ts';
import { maintenanceMoved, maintenanceScheduled, maintenanceUpdated } from './maintenance.events.ts';
import { MaintenanceWindow } from './maintenance-window.entity.ts';
import { MaintenanceImpact, MaintenanceStatus } from './maintenance-window.states.ts';

const { SCHEDULED, IN_PROGRESS, COMPLETED, CANCELLED } = MaintenanceStatus;

/** Statuses of services for which maintenance can be planned. Services with other statuses are not built, or are ended. */
export const MAINTAINABLE: readonly ServiceStatus[] = [
  ServiceStatus.OPERATIONAL,
  ServiceStatus.DEGRADED,
  ServiceStatus.DOWN,
  ServiceStatus.MAINTENANCE,
  ServiceStatus.SUSPENDED,
];

export interface PlannedMaintenance {
  startsAt: Date;
  endsAt: Date;
  title: string | null;
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
  const known = { id: newId('maintenanceWindow'), organizationId, serviceId, dueAt: planned.startsAt };
  const window = Object.assign(new MaintenanceWindow(), planned, known, { announcedAt: now, createdAt: now, updatedAt: now });
  tx.persist(window);
  await recordAll(tx, [serviceMaintenanceScheduled(service, window), maintenanceScheduled(service, window)]);
  return window;
}

/** Reports that a maintenance has changed. A maintenance that has not started is announced again. */
export function reportMaintenance(tx: EntityManager, service: Service, window: MaintenanceWindow, changes: ChangeSet): Promise<void> {
  const announced = window.status === SCHEDULED ? [serviceMaintenanceScheduled(service, window)] : [];
  return recordAll(tx, [...announced, maintenanceUpdated(service, window, changes)]);
}

/** Moves a window to a status, and reports it. */
async function move(
  tx: EntityManager,
  service: Service,
  window: MaintenanceWindow,
  status: keyof typeof maintenanceMoved,
  now: Date,
): Promise<void> {
  const { status: before } = window;
  window.moveTo(status, now);
  await record(tx, maintenanceMoved[status](service, window, before));
}

/**
 * Starts or ends a due maintenance window of a locked service. A window that could not be started before its end, for
 * example because no process was running, ends without changing the service.
 */
export async function advanceMaintenance(tx: EntityManager, service: Service, window: MaintenanceWindow, now: Date): Promise<void> {
  if (window.status === IN_PROGRESS || window.endsAt <= now) return endMaintenance(tx, service, window, COMPLETED, now);
  await move(tx, service, window, IN_PROGRESS, now);
  if (window.impact === MaintenanceImpact.NONE || !isInService(service.status)) return;
  window.statusBefore = service.status === ServiceStatus.MAINTENANCE ? await statusBefore(tx, service) : service.status;
  if (service.status !== ServiceStatus.MAINTENANCE) await transition(tx, service, ServiceStatus.MAINTENANCE, now, window.description);
}

/** Starts or ends all due maintenance windows of a locked service. */
export async function advanceDueMaintenance(tx: EntityManager, service: Service, now: Date): Promise<void> {
  for (const window of await openWindows(tx, service.id))
    if (window.dueAt && window.dueAt <= now) await advanceMaintenance(tx, service, window, now);
}

/** Ends a locked window in progress before its planned end. */
export const endMaintenanceNow = (tx: EntityManager, service: Service, window: MaintenanceWindow, now: Date): Promise<void> =>
  endMaintenance(tx, service, window, COMPLETED, now);

/** Cancels a locked window. @throws InvalidState if it has ended */
export const cancelWindow = (tx: EntityManager, service: Service, window: MaintenanceWindow, now: Date): Promise<void> =>
  endMaintenance(tx, service, window, CANCELLED, now);

/** Cancels the windows of a locked service that have not ended: the windows of one change, or all windows. */
export async function cancelMaintenance(tx: EntityManager, service: Service, now: Date, serviceChangeId?: string): Promise<void> {
  for (const window of await openWindows(tx, service.id))
    if (serviceChangeId === undefined || window.serviceChangeId === serviceChangeId)
      await endMaintenance(tx, service, window, CANCELLED, now);
}

/**
 * Returns the maintenance window of a locked service that is in progress. Of several windows, returns the last to end. Null if no window is
 * in progress.
 */
export async function presentMaintenance(tx: EntityManager, serviceId: string): Promise<MaintenanceWindow | null> {
  return lastInProgress(await openWindows(tx, serviceId));
}

/** Returns the window in progress with the latest end. Null if no window is in progress. */
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
  status: keyof typeof maintenanceMoved,
  now: Date,
): Promise<void> {
  await move(tx, service, window, status, now);
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

/** Returns the windows of a service that have not ended, by their start, locked. */
export const openWindows = (tx: EntityManager, serviceId: string): Promise<MaintenanceWindow[]> =>
  tx.find(
    MaintenanceWindow,
    { serviceId, status: { $in: [SCHEDULED, IN_PROGRESS] } },
    { ...LOCKED, orderBy: { startsAt: 'asc', id: 'asc' } },
  );
