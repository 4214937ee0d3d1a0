import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: whoever calls with a key needs it to see what came of the call. */
export class OwnKey extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'A key cannot delete itself. Delete it with another key, or as a user.', { allowed: [] });
  }
}

/** 409: its new text would not work either. */
export class KeyExpired extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This key has expired. Change restrictions.expires_at before you rotate it.', { from: 'expired', allowed: [] });
  }
}

/** 409: nobody could use the key any more. */
export class NoSigningSecret extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This key has no signing secret yet. Rotate it: the answer shows one.', { allowed: [] });
  }
}
