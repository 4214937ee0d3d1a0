import { InvalidState, PlatformError } from '../../../kernel/errors/errors.ts';

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

/** 409: who would lift the suspension of the operator's own organization? */
export class OperatorsOwn extends InvalidState {
  constructor(status: string) {
    super('organization that operates the platform', 'active', status, []);
  }
}
