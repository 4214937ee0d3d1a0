import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: a key cannot delete itself, because the caller could not use the key to check the result. */
export class OwnKey extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'A key cannot delete itself. Delete it with another key, or as a user.', { allowed: [] });
  }
}

/** 409: an expired key cannot be rotated, because the new key would not work either. */
export class KeyExpired extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This key has expired. Set restrictions.expires_at to a later date, then rotate it.', {
      from: 'expired',
      allowed: [],
    });
  }
}

/**
 * 409: signatures cannot be required for a key without a signing secret, because the key could not be used any more.
 */
export class NoSigningSecret extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This key has no signing secret yet. Rotate the key first: the response contains one.', { allowed: [] });
  }
}
