import { PlatformError } from '../../../../kernel/errors/errors.ts';
import type { Service } from '../../inventory/service.entity.ts';

/** 409: the service cannot connect a site of a network. `details.id` is the id of the service. */
export class UnsuitableAccessLine extends PlatformError {
  constructor({ id, status }: Service, reason: string) {
    super('SERVICE_CONFLICT', `The service ${id} cannot connect a site: ${reason}.`, { resource: 'service', id, status });
  }
}
