import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 400, on a page: the request for authorization is over, or is that of another browser. */
export class RequestExpired extends PlatformError {
  constructor() {
    super(
      'INVALID_PARAMETERS',
      'This page was open for too long, or belongs to another browser. Go back to the application and start again.',
    );
  }
}
