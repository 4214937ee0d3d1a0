import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { ProvisioningRequestStatus } from './provisioning-request.states.ts';

/** 409: the provisioning request is not pending, so it cannot be changed. `details.status` is its status. */
export class ProvisioningHasBegun extends PlatformError {
  constructor(id: string, status: ProvisioningRequestStatus) {
    super('INVALID_STATE', `The provisioning request ${id} is ${status}. Only a pending one can be changed.`, {
      resource: 'provisioning_request',
      id,
      status,
    });
  }
}

/** 409: the provisioning request is already being cancelled. The provider has not released its service yet. */
export class CancellationHasBegun extends PlatformError {
  constructor(id: string, status: ProvisioningRequestStatus) {
    super('INVALID_STATE', `The provisioning request ${id} is already being cancelled.`, { resource: 'provisioning_request', id, status });
  }
}

/** 409: another API call changed the provisioning request while this call was checking its own change. */
export class ChangedMeanwhile extends PlatformError {
  constructor(id: string) {
    super('STALE_RESOURCE', `The provisioning request ${id} was changed by another request. Get it again and repeat your change.`, {
      resource: 'provisioning_request',
      id,
    });
  }
}
