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

/**
 * Checks that a locked service is not in maintenance.
 * @throws ServiceInMaintenance
 */
export async function checkNotInMaintenance(tx: EntityManager, service: Service, now: Date): Promise<void> {
  if (service.status === ServiceStatus.MAINTENANCE) throw new ServiceInMaintenance(service, await presentMaintenance(tx, service.id), now);
}

/** 409: a service that is not built, or is being ended, cannot be maintained. */
export class ServiceNotMaintainable extends PlatformError {
  constructor({ id, status }: Service) {
    super('INVALID_STATE', `The service ${id} is ${status}, so its maintenance cannot be planned.`, { resource: 'service', id, status });
  }
}

/** 409: a service already has the maximum number of maintenance windows that have not ended. */
export class TooManyWindows extends PlatformError {
  constructor(maximum: number) {
    super('INVALID_STATE', `A service can have at most ${maximum} maintenance windows that have not ended.`, { maximum });
  }
}

/** 409: a maintenance that was planned for a change of the service ends with the change. */
export class MaintenanceOfChange extends PlatformError {
  constructor({ id, serviceChangeId }: MaintenanceWindow) {
    super('INVALID_STATE', `The maintenance ${id} belongs to the change ${serviceChangeId} of the service. Cancel the change instead.`, {
      resource: 'maintenance_window',
      id,
      service_change_id: serviceChangeId,
    });
  }
}
