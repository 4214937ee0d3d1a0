import { InvalidParameters, PlatformError } from '../../../kernel/errors/errors.ts';

/** 400: what was sent is no SAML response at all. */
export class NotSaml extends InvalidParameters {
  constructor(readonly reason: string) {
    super([{ field: 'SAMLResponse', reason }]);
  }
}

/** 401. One message for whatever does not hold: `reason` is for the audit alone. */
export class SignInRefused extends PlatformError {
  constructor(readonly reason: string) {
    super(
      'INVALID_CREDENTIALS',
      "The identity provider's answer does not sign anybody in. Begin again; an administrator finds the reason in the audit records.",
    );
  }
}

/** 401. */
export class CodeRefused extends PlatformError {
  readonly reason = 'sign-in code';

  constructor() {
    super('INVALID_CREDENTIALS', 'The code is not valid, was used, or is older than a minute. Begin the sign-in again.');
  }
}
