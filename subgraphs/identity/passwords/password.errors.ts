import { InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';

/** 401: the link of a mail was used, is too old, or never was. */
export class LinkRefused extends PlatformError {
  constructor() {
    super('INVALID_CREDENTIALS', 'This link is not valid any more. Ask for a new one.');
  }
}

/** 400 for a password that would be guessed. */
export class WeakPassword extends InvalidParameters {
  constructor(reason: string, field = 'password') {
    super([{ field, reason }]);
  }
}
