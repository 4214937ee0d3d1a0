import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { Service } from '../inventory/service.entity.ts';
import type { ServiceChange } from './service-change.entity.ts';

/** 409: the service cannot be changed during maintenance. `details` contains the id and the status of the service. */
export class ServiceInMaintenance extends PlatformError {
  constructor({ id, status }: Service) {
    super('SERVICE_MAINTENANCE', `The service ${id} is in maintenance. Repeat the request when the maintenance has ended.`, {
      resource: 'service',
      id,
      status,
    });
  }
}

/** 409: the service already has a decommission that waits for its date. `details.change_id` is its id. */
export class AlreadyEnding extends PlatformError {
  constructor({ id, serviceId, effectiveAt }: ServiceChange) {
    super(
      'SERVICE_CONFLICT',
      `The service ${serviceId} is taken down at ${effectiveAt.toISOString()} by the change ${id}. Cancel that change first.`,
      { resource: 'service', id: serviceId, change_id: id },
    );
  }
}

/** 409: the destination cannot receive the data. `details.id` is the id of the destination. */
export class UnsuitableDestination extends PlatformError {
  constructor({ id, status }: Service, reason: string) {
    super('SERVICE_CONFLICT', `The service ${id} cannot receive the data: ${reason}.`, { resource: 'service', id, status });
  }
}
