import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { Service } from '../inventory/service.entity.ts';
import { serviceStates } from '../inventory/service.states.ts';
import type { ServiceChange } from './service-change.entity.ts';

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

/** 409: the status of the service does not allow changes. `details.from` is its status. */
export class ServiceNotChangeable extends PlatformError {
  constructor({ id, status }: Service) {
    super('INVALID_STATE', `The service ${id} is ${status}. Only a service that is in service can be changed.`, {
      resource: 'service',
      id,
      from: status,
      allowed: serviceStates.allowed(status),
    });
  }
}

/** 409: the service already has a scaling that waits for its date. `details.change_id` is its id. */
export class AlreadyScaling extends PlatformError {
  constructor({ id, serviceId, effectiveAt }: ServiceChange) {
    super(
      'SERVICE_CONFLICT',
      `The service ${serviceId} is scaled at ${effectiveAt.toISOString()} by the change ${id}. Cancel that change first.`,
      {
        resource: 'service',
        id: serviceId,
        change_id: id,
      },
    );
  }
}

/** 409: too many changes of the service have not ended. `details.limit` is the maximum. */
export class TooManyChanges extends PlatformError {
  constructor(serviceId: string, limit: number) {
    super('SERVICE_CONFLICT', `The service ${serviceId} has ${limit} changes that have not ended. Wait for them, or cancel some.`, {
      resource: 'service',
      id: serviceId,
      limit,
    });
  }
}
