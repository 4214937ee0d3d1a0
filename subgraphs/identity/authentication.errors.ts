import { PlatformError } from '../../kernel/errors/errors.ts';

/** 401, for credentials that were right until a moment that has passed. */
export class CredentialsExpired extends PlatformError {
  readonly reason = 'expired';

  constructor(expiredAt: Date, message = 'The API key has expired. Use another one.') {
    super('TOKEN_EXPIRED', message, { expired_at: expiredAt.toISOString() });
  }
}

/** 403. The holder learns the address that the platform saw, which behind proxies is the thing to look into. */
export class IpNotAllowed extends PlatformError {
  readonly reason = 'address';

  constructor(ip: string) {
    super(
      'IP_NOT_ALLOWED',
      'These credentials may not be used from this address. Add the address to their IP whitelist, or call from one that is on it.',
      { ip },
    );
  }
}
