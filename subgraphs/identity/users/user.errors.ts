import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: the last owner cannot be removed or demoted. Otherwise nobody could make a user the owner again. */
export class LastOwner extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This is the last owner of the organization. Make another user an owner first.', { allowed: [] });
  }
}

/**
 * 409: the address belongs to a user whom the caller may see. The error never reveals that a user whom the caller may
 * not see has the address.
 */
export class EmailTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'Your organization already has a user with this e-mail address.', { field: 'email' });
  }
}
