import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: keys and clients are never asked for a second factor, and have none. */
export class NoUser extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'Only a user who logged in has a second factor. Keys and clients are never asked for one.', { allowed: [] });
  }
}

/** 403: a client that acts for a user could lock them out. */
export class OwnSessionOnly extends PlatformError {
  constructor() {
    super('ACCESS_RESTRICTED', 'A second factor is changed by its user, who has to log in here: not by a client that acts for them.');
  }
}

/** 409 */
export class NotEnrolled extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'No second factor is enrolled. Set one up first, at POST /v1/auth/mfa/totp/setup.', { allowed: [] });
  }
}
