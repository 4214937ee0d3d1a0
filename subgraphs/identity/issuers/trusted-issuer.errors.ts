import { PlatformError } from '../../../kernel/errors/errors.ts';

/** 409. Does not say whose it is. */
export class IssuerTaken extends PlatformError {
  constructor() {
    super('DUPLICATE_RESOURCE', 'This issuer is registered with this audience already. Have it issue tokens for an audience of your own.', {
      fields: ['issuer', 'audience'],
    });
  }
}
