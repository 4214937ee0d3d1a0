import type { Ports } from '../../../kernel/domain.ts';
import { type DueDeps, dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { Service } from '../inventory/service.entity.ts';
import { isInService, ServiceStatus, serviceStates } from '../inventory/service.states.ts';
import { advanceDueMaintenance } from '../maintenance/maintenance-windows.ts';
import { enqueueChanges } from './converge-queue.ts';
import { decommission } from './decommission.ts';
import { ServiceChange } from './service-change.entity.ts';
import { ServiceChangeStatus } from './service-change.states.ts';

const MAINTENANCE_PAUSE_MS = 60_000;
const DUE = {
  name: 'services.change',
  table: 'services.service_change',
  column: 'due_at',
  postponeMs: 60_000,
  owner: { table: 'services.service', column: 'service_id' },
} as const;

/**
 * Begins decommissions of services at their dates. A decommission waits while its service is in maintenance, and while its
 * organization is suspended.
 */
export const serviceChangeSweeper = (deps: DueDeps & Pick<Ports, 'database' | 'jobs' | 'isSuspended'>): Sweeper =>
  dueSweeper({ ...deps, waits: deps.isSuspended }, DUE, async (tx, id, now) => {
    const change = await tx.findOneOrFail(ServiceChange, { id });
    const service = await tx.findOneOrFail(Service, { id: change.serviceId });
    const { status } = service;
    if (status === ServiceStatus.MAINTENANCE) {
      change.dueAt = new Date(now.getTime() + MAINTENANCE_PAUSE_MS);
    } else if (status === ServiceStatus.PENDING || serviceStates.allowed(status).includes(ServiceStatus.DECOMMISSIONING)) {
      await decommission(tx, deps.jobs, service, change, now);
    } else change.moveTo(ServiceChangeStatus.FAILED, now, `The service is ${status}.`);
  });

const APPLY_DUE = {
  name: 'services.apply-change',
  table: 'services.service_change',
  column: 'apply_due_at',
  postponeMs: 60_000,
  owner: { table: 'services.service', column: 'service_id' },
} as const;

/**
 * Begins other changes than decommissions at their dates. The job that applies the change checks it again. A change waits
 * while its organization is suspended. A change of a suspended service stays open, and is applied when the suspension ends.
 */
export const changeApplicationSweeper = (deps: DueDeps & Pick<Ports, 'database' | 'jobs' | 'isSuspended'>): Sweeper =>
  dueSweeper({ ...deps, waits: deps.isSuspended }, APPLY_DUE, async (tx, id, now) => {
    const change = await tx.findOneOrFail(ServiceChange, { id });
    const service = await tx.findOneOrFail(Service, { id: change.serviceId });
    change.applyDueAt = null;
    // a change may take effect at the moment when its maintenance starts
    await advanceDueMaintenance(tx, service, now);
    if (isInService(service.status)) await enqueueChanges(deps.jobs, tx, service);
    else if (service.status !== ServiceStatus.SUSPENDED)
      change.moveTo(ServiceChangeStatus.FAILED, now, `The service is ${service.status}.`);
  });
