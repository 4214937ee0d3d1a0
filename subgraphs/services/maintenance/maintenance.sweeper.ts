import type { Ports } from '../../../kernel/domain.ts';
import { type DueDeps, dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { Service } from '../inventory/service.entity.ts';
import { MaintenanceWindow } from './maintenance-window.entity.ts';
import { advanceMaintenance } from './maintenance-windows.ts';

const DUE = {
  name: 'services.maintenance',
  table: 'services.maintenance_window',
  column: 'due_at',
  postponeMs: 60_000,
  owner: { table: 'services.service', column: 'service_id' },
} as const;

/** Starts and ends maintenance windows. A window waits while its organization is suspended. */
export const maintenanceSweeper = (deps: DueDeps & Pick<Ports, 'database' | 'isSuspended'>): Sweeper =>
  dueSweeper({ ...deps, waits: deps.isSuspended }, DUE, async (tx, id, now) => {
    const window = await tx.findOneOrFail(MaintenanceWindow, { id });
    const service = await tx.findOneOrFail(Service, { id: window.serviceId });
    await advanceMaintenance(tx, service, window, now);
  });
