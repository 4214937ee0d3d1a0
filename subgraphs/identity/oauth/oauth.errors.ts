import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 400, shown as a page: the authorization request has expired or was started in another browser. */
export class RequestExpired extends PlatformError {
  constructor() {
    super('INVALID_PARAMETERS', 'This page has expired or was opened in another browser. Go back to the application and start again.');
  }
}
