import { PlatformError } from '../../../kernel/errors/errors.ts';

/**
 * 409: another registration has this issuer and audience. The error does not name the organization of the other
 * registration.
 */
export class IssuerTaken extends PlatformError {
  constructor() {
    super(
      'DUPLICATE_RESOURCE',
      'This issuer is already registered with this audience. Configure it to issue tokens for another audience.',
      {
        fields: ['issuer', 'audience'],
      },
    );
  }
}
