import { InvalidState, PlatformError } from '../../../kernel/errors/errors.ts';
import { OrganizationStatus } from './organization.states.ts';

/** 403: the organization is suspended. Only callers with valid credentials get this error. */
export class OrganizationSuspended extends PlatformError {
  readonly reason = 'organization is suspended';

  constructor() {
    super(
      'ORGANIZATION_SUSPENDED',
      'Your organization is suspended. Its services keep running, but nobody can sign in or call the API. Contact the operator of the platform.',
    );
  }
}

/** 403: the organization is closed. Only callers with valid credentials get this error. */
export class OrganizationClosed extends PlatformError {
  readonly reason = 'organization is closed';

  constructor() {
    super(
      'ORGANIZATION_CLOSED',
      'Your organization is closed. Nobody can sign in or call the API, and its records are deleted 30 days after it was closed. Contact the operator of the platform.',
    );
  }
}

/**
 * Checks that an organization with this status may use the platform.
 * @throws OrganizationSuspended, OrganizationClosed
 */
export function requireActive(status: OrganizationStatus): void {
  if (status === OrganizationStatus.CLOSED) throw new OrganizationClosed();
  if (status === OrganizationStatus.SUSPENDED) throw new OrganizationSuspended();
}

/** Records that prevent an organization from being closed: the first ids of each kind. */
export interface LiveRecords {
  serviceIds: readonly string[];
  provisioningRequestIds: readonly string[];
}

/** 409: the organization is still in use. `details` contains the first ids of the records that prevent closing it. */
export class OrganizationInUse extends PlatformError {
  constructor({ serviceIds, provisioningRequestIds }: LiveRecords) {
    super(
      'INVALID_STATE',
      'The organization has live services or open provisioning requests. Decommission the services and cancel the requests first.',
      { service_ids: serviceIds, provisioning_request_ids: provisioningRequestIds },
    );
  }
}

/** 409: deletion of the organization's records has begun, so the organization cannot be resumed or exported. */
export class RecordsDeleted extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'The records of this organization have been deleted. Create a new organization.', {
      from: 'closed',
      allowed: [],
    });
  }
}

/** 409: the operator's own organization cannot be suspended or closed, since nobody could resume or reopen it. */
export class OperatorsOwn extends InvalidState {
  constructor(status: string) {
    super('organization that operates the platform', 'active', status, []);
  }
}
