import { PlatformError } from '../../../kernel/errors/errors.ts';

/**
 * 409: the caller is an API key or client. API keys and clients have no second factor and are never asked for a second
 * factor.
 */
export class NoUser extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'Only users have a second factor. Log in as a user; API keys and clients are never asked for one.', {
      allowed: [],
    });
  }
}

/** 403: a client that acts for a user may not change second factors, since the client could lock the user out. */
export class OwnSessionOnly extends PlatformError {
  constructor() {
    super(
      'ACCESS_RESTRICTED',
      'An application cannot change second factors for a user. Log in as the user and change them in that session.',
    );
  }
}

/** 409: the user has no second factor. */
export class NotEnrolled extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'No second factor is enrolled. Set one up first with POST /v1/auth/mfa/totp/setup.', { allowed: [] });
  }
}
