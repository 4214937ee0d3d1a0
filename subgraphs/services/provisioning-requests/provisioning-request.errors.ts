import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { ProvisioningRequestStatus } from './provisioning-request.states.ts';

/** 409: what has begun is not changed any more. `details.status` says where it is. */
export class ProvisioningHasBegun extends PlatformError {
  constructor(id: string, status: ProvisioningRequestStatus) {
    super('INVALID_STATE', `The provisioning request ${id} is ${status}. Only a pending one can be changed.`, {
      resource: 'provisioning_request',
      id,
      status,
    });
  }
}

/** 409: two changes met, and this one was made for what the record is no longer. */
export class ChangedMeanwhile extends PlatformError {
  constructor(id: string) {
    super('STALE_RESOURCE', `The provisioning request ${id} was changed at the same moment. Read it again and repeat your change.`, {
      resource: 'provisioning_request',
      id,
    });
  }
}
