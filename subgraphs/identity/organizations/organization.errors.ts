import { InvalidState, PlatformError } from '../../../kernel/errors/errors.ts';
import { OrganizationStatus } from './organization.states.ts';

/** 403, whatever credentials were shown, once they were found to be right: nobody else learns it. */
export class OrganizationSuspended extends PlatformError {
  readonly reason = 'organization is suspended';

  constructor() {
    super(
      'ORGANIZATION_SUSPENDED',
      'Your organization is suspended: its services run on, and nobody can sign in or call. Contact the operator of the platform.',
    );
  }
}

/** The same of one that is closed. */
export class OrganizationClosed extends PlatformError {
  readonly reason = 'organization is closed';

  constructor() {
    super(
      'ORGANIZATION_CLOSED',
      'Your organization is closed: nobody can sign in or call, and its records are deleted 30 days after it was closed. Contact the operator of the platform.',
    );
  }
}

/** @throws OrganizationSuspended, OrganizationClosed */
export function requireActive(status: OrganizationStatus): void {
  if (status === OrganizationStatus.CLOSED) throw new OrganizationClosed();
  if (status === OrganizationStatus.SUSPENDED) throw new OrganizationSuspended();
}

/** What keeps an organization from being closed: the first of each. */
export interface LiveRecords {
  serviceIds: readonly string[];
  provisioningRequestIds: readonly string[];
}

/** 409. `details` names the first of what is in the way. */
export class OrganizationInUse extends PlatformError {
  constructor({ serviceIds, provisioningRequestIds }: LiveRecords) {
    super(
      'INVALID_STATE',
      'The organization has live services or open provisioning requests. Decommission the services and cancel the requests first.',
      { service_ids: serviceIds, provisioning_request_ids: provisioningRequestIds },
    );
  }
}

/** 409: of a closed organization after its time. */
export class RecordsDeleted extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'The records of this organization are deleted. Create another one.', { from: 'closed', allowed: [] });
  }
}

/** 409: who would lift the suspension of the operator's own organization? */
export class OperatorsOwn extends InvalidState {
  constructor(status: string) {
    super('organization that operates the platform', 'active', status, []);
  }
}
