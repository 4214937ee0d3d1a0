import type { EntityManager } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { Service } from '../inventory/service.entity.ts';
import { ServiceStatus } from '../inventory/service.states.ts';
import type { MaintenanceWindow } from './maintenance-window.entity.ts';
import { presentMaintenance } from './maintenance-windows.ts';

/**
 * 409: the service cannot be changed during maintenance. `details.maintenance_window` is the window in progress that ends
 * last, and `retry_after` the number of seconds until its end. Both are missing if the end is not known.
 */
export class ServiceInMaintenance extends PlatformError {
  constructor({ id, status }: Service, window: MaintenanceWindow | null, now: Date) {
    super('SERVICE_MAINTENANCE', `The service ${id} is in maintenance. Repeat the request when the maintenance has ended.`, {
      resource: 'service',
      id,
      status,
      ...(window && {
        maintenance_window: { id: window.id, start: window.startsAt.toISOString(), end: window.endsAt.toISOString() },
        retry_after: Math.max(1, Math.ceil((window.endsAt.getTime() - now.getTime()) / 1000)),
      }),
    });
  }
}

/** @throws ServiceInMaintenance if a locked service is in maintenance */
export async function checkNotInMaintenance(tx: EntityManager, service: Service, now: Date): Promise<void> {
  if (service.status === ServiceStatus.MAINTENANCE) throw new ServiceInMaintenance(service, await presentMaintenance(tx, service.id), now);
}
