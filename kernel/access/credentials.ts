import type { X509Certificate } from 'node:crypto';
import { PlatformError } from '../errors/errors.ts';
import type { ClientInfo } from '../request.ts';

/**
 * An API key or a JWT in a request header. The authenticator detects which of the two it is (specification 5.2, 5.4).
 */
export interface ShownToken {
  /** The header that contained the token: `Authorization: Bearer` or `X-API-Key`. */
  kind: 'bearer' | 'api_key';
  token: string;
}

/**
 * The client certificate of the TLS connection (specification 5.5). The TLS handshake proves only that the caller has
 * the private key of the certificate.
 */
export interface ShownCertificate {
  kind: 'certificate';
  certificate: X509Certificate;
}

/**
 * The credentials of a request, and information about its client. The edge extracts the credentials, and the identity
 * domain verifies them.
 */
export type Credentials = (ShownToken | ShownCertificate) & ClientInfo & { signing?: Signing | undefined };

/** The signed parts of a request, and the signature if one was sent (specification 5.2). */
export interface RequestSigning {
  method: string;
  /** The path and query string as the client sent them, before path aliases are replaced. */
  path: string;
  timestamp: unknown;
  signature: unknown;
}

/**
 * The signature data of a request. The request that opens a WebSocket is verified once. When the credentials of the
 * open WebSocket are checked again, the value is `checked at opening`.
 */
export type Signing = RequestSigning | 'checked at opening';

/**
 * 401: the credentials are not valid. The error does not contain the credentials, and does not say why they are
 * invalid.
 */
export class InvalidCredentials extends PlatformError {
  /** `reason` is written to the audit log only; the caller does not get it. */
  constructor(
    message = 'The API key or access token is not valid.',
    readonly reason = 'unknown',
  ) {
    super('INVALID_CREDENTIALS', message);
  }
}
