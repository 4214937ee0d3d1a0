import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: a key cannot delete itself, because the caller could not use the deleted key to check the result. */
export class OwnKey extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'A key cannot delete itself. Delete it with another key, or as a user.', { allowed: [] });
  }
}

/** 409: an expired key cannot be rotated, because the new key would have the same expiry. */
export class KeyExpired extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This key has expired. Set restrictions.expires_at to a later date, then rotate it.', {
      from: 'expired',
      allowed: [],
    });
  }
}

/**
 * 409: signatures cannot be required for a key without a signing secret, because all requests with the key would be
 * refused.
 */
export class NoSigningSecret extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This key has no signing secret yet. Rotate the key first: the response contains one.', { allowed: [] });
  }
}
