import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409: an organization without an owner could never get one again. */
export class LastOwner extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This is the last owner of the organization. Make another user an owner first.', { allowed: [] });
  }
}

/** 409. Of users whom the caller sees alone: whether an address is in use elsewhere is not told. */
export class EmailTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'Your organization has a user with this e-mail address already.', { field: 'email' });
  }
}
