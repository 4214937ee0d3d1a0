import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409. Of the caller's own organization: what others claim is nobody's business. */
export class DomainTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'One of these e-mail domains belongs to another connection of your organization.', {
      field: 'email_domains',
    });
  }
}

/** 409: nobody could sign in by it. */
export class ConnectionIncomplete extends PlatformError {
  constructor() {
    super(
      'INVALID_STATE',
      'A connection without identity provider, certificate or e-mail domain cannot be active. Give its metadata, or the entity id, URL and certificates, and the domains.',
      { allowed: [] },
    );
  }
}
