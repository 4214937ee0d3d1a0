import { PlatformError } from '../../../kernel/errors.ts';

/** 409: an organization without an owner could never get one again. */
export class LastOwner extends PlatformError {
  constructor() {
    super('INVALID_STATE', 'This is the last owner of the organization. Make another user an owner first.', { allowed: [] });
  }
}

/** 409. An address belongs to one user of the whole platform: people log in by it. */
export class EmailTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'There is a user with this e-mail address already.', { field: 'email' });
  }
}
