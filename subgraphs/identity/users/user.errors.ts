import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: the last owner cannot be removed or demoted. Otherwise nobody could make a user the owner again. */
export class LastOwner extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This is the last owner of the organization. Make another user an owner first.', { allowed: [] });
  }
}

/**
 * 409: a user whom the caller may see already has this address. Users who are hidden from the caller do not cause this
 * error, because it would reveal their addresses.
 */
export class EmailTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'Your organization already has a user with this e-mail address.', { field: 'email' });
  }
}
