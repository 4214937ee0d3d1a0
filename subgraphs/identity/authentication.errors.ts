import { PlatformError } from '../../kernel/errors/errors.ts';

/** 401: the credentials were valid but have expired. */
export class CredentialsExpired extends PlatformError {
  readonly reason = 'expired';

  constructor(expiredAt: Date, message = 'The API key has expired. Use another one.') {
    super('TOKEN_EXPIRED', message, { expired_at: expiredAt.toISOString() });
  }
}

/**
 * 403: the client's address is not on the IP whitelist. `details.ip` is the client address that the platform
 * determined. It helps to find errors in the configuration of proxies.
 */
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
