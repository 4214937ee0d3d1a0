import type { X509Certificate } from 'node:crypto';
import { PlatformError } from '../errors/errors.ts';
import type { ClientInfo } from '../request.ts';

/** A bearer token is an API key or a JWT: the authenticator tells them apart (specification 5.2, 5.4). */
export interface ShownToken {
  /** Where it stood: `Authorization: Bearer`, or `X-API-Key`. */
  kind: 'bearer' | 'api_key';
  token: string;
}

/** The certificate that the caller opened the connection with, and so has the key of (specification 5.5). Nothing else of it was checked. */
export interface ShownCertificate {
  kind: 'certificate';
  certificate: X509Certificate;
}

/** What a caller shows, and from where: the edge reads it, identity judges it. */
export type Credentials = (ShownToken | ShownCertificate) & ClientInfo & { signing?: Signing | undefined };

/** What a request signature is over, and the signature itself where one was sent (specification 5.2). */
export interface RequestSigning {
  method: string;
  /** With the query, as the client sent it: before aliases are rewritten. */
  path: string;
  timestamp: unknown;
  signature: unknown;
}

/** A socket is signed for when it opens: what is looked at again while it is open was checked then. */
export type Signing = RequestSigning | 'checked at opening';

/** 401. Never repeats what was sent; of a token or key that does not hold it does not say either what is wrong with it. */
export class InvalidCredentials extends PlatformError {
  /** `reason` is for the audit alone. */
  constructor(
    message = 'The API key or access token is not valid.',
    readonly reason = 'unknown',
  ) {
    super('INVALID_CREDENTIALS', message);
  }
}
