import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: another connection of the caller's organization has the domain. Claims of other organizations are never revealed. */
export class DomainTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'One of these e-mail domains belongs to another connection of your organization.', {
      field: 'email_domains',
    });
  }
}

/** 409: an incomplete connection cannot be active. */
export class ConnectionIncomplete extends PlatformError {
  constructor() {
    super(
      'INVALID_STATE',
      'A connection without identity provider, certificate or e-mail domain cannot be active. Send e-mail domains and the metadata of the identity provider, or its entity id, URL and certificates.',
      { allowed: [] },
    );
  }
}
