import { InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';

/** 400: the body is not a SAML response. */
export class NotSaml extends InvalidParameters {
  constructor(readonly reason: string) {
    super([{ field: 'SAMLResponse', reason }]);
  }
}

/** 401: the response is refused. The message is always the same, because `reason` is for the audit records only. */
export class SignInRefused extends PlatformError {
  constructor(readonly reason: string) {
    super(
      'INVALID_CREDENTIALS',
      "The identity provider's response was refused. Start the sign-in again. An administrator can find the reason in the audit records.",
    );
  }
}

/** 401: the one-time code is unknown, used or expired, or was issued to another browser. */
export class CodeRefused extends PlatformError {
  readonly reason = 'sign-in code';

  constructor() {
    super('INVALID_CREDENTIALS', 'The code is invalid, already used, or older than one minute. Start the sign-in again.');
  }
}
