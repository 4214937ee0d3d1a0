import type { X509Certificate } from 'node:crypto';
import { PlatformError } from '../errors/errors.ts';
import type { ClientInfo } from '../request.ts';

/** A bearer token is an API key or a JWT. The authenticator tells them apart (specification 5.2, 5.4). */
export interface ShownToken {
  /** The header that the token was sent in: `Authorization: Bearer` or `X-API-Key`. */
  kind: 'bearer' | 'api_key';
  token: string;
}

/**
 * The client certificate of the TLS connection (specification 5.5). The handshake proves that the caller has its private key; nothing else
 * is verified yet.
 */
export interface ShownCertificate {
  kind: 'certificate';
  certificate: X509Certificate;
}

/** The credentials of a request and the client they came from. The edge extracts them, the identity domain verifies them. */
export type Credentials = (ShownToken | ShownCertificate) & ClientInfo & { signing?: Signing | undefined };

/** The signed parts of a request, and the signature if one was sent (specification 5.2). */
export interface RequestSigning {
  method: string;
  /** With the query string, as the client sent it: before aliases are rewritten. */
  path: string;
  timestamp: unknown;
  signature: unknown;
}

/** A WebSocket is signed when it opens. Later checks of the open socket do not verify the signature again. */
export type Signing = RequestSigning | 'checked at opening';

/** 401. Never repeats the credentials, and does not say why a token or key is invalid. */
export class InvalidCredentials extends PlatformError {
  /** `reason` is only written to the audit log. */
  constructor(
    message = 'The API key or access token is not valid.',
    readonly reason = 'unknown',
  ) {
    super('INVALID_CREDENTIALS', message);
  }
}
