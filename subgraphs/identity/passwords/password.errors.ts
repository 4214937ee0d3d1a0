import { InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';

/** 401: the token in the link of a mail is unknown, already used or expired. */
export class LinkRefused extends PlatformError {
  constructor() {
    super('INVALID_CREDENTIALS', 'This link is no longer valid. Request a new one.');
  }
}

/** 400: the password is too easy to guess. */
export class WeakPassword extends InvalidParameters {
  constructor(reason: string, field = 'password') {
    super([{ field, reason }]);
  }
}
