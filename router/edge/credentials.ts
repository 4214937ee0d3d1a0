import type { X509Certificate } from 'node:crypto';
import { PlatformError } from '../../kernel/errors.ts';
import type { ClientInfo } from '../../kernel/request.ts';

/** A bearer token is an API key or a JWT: the authenticator tells them apart (specification 5.2, 5.4). */
export interface ShownToken {
  kind: 'bearer' | 'api_key';
  token: string;
}

/** The certificate that the caller opened the connection with, and so has the key of (specification 5.5). Nothing else of it was checked. */
export interface ShownCertificate {
  kind: 'certificate';
  certificate: X509Certificate;
}

/** What a caller shows, and from where. */
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

/** 401; the message never repeats what was sent. */
export class InvalidCredentials extends PlatformError {
  constructor(message: string, options?: ErrorOptions) {
    super('INVALID_CREDENTIALS', message, {}, options);
  }
}

// RFC 6750, 2.1
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const KEY = /^[\x21-\x7e]+$/;

/**
 * Reads `Authorization: Bearer` or `X-API-Key` from headers, or from the parameters of a WebSocket's connection_init.
 * Nothing given is null.
 * @throws InvalidCredentials for another scheme, a malformed header, or two that differ.
 */
export function readCredentials(headers: Readonly<Record<string, unknown>>): ShownToken | null {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  if (authorization === undefined && apiKey === undefined) return null;

  const token = authorization === undefined ? undefined : tokenIn(authorization);
  if (apiKey === undefined) return { kind: 'bearer', token: token as string };
  if (typeof apiKey !== 'string' || !KEY.test(apiKey)) throw new InvalidCredentials('X-API-Key must hold one API key.');
  if (token !== undefined && token !== apiKey) throw new InvalidCredentials('Authorization and X-API-Key differ. Send one of them.');
  return { kind: 'api_key', token: apiKey };
}

/** Of headers or of the parameters of a connection_init. */
export const readSigning = (headers: Readonly<Record<string, unknown>>, method: string, path = '/'): RequestSigning => ({
  method,
  path,
  timestamp: headers['x-timestamp'],
  signature: headers['x-signature'],
});

function tokenIn(authorization: unknown): string {
  const token = typeof authorization === 'string' ? BEARER.exec(authorization)?.[1] : undefined;
  if (!token) throw new InvalidCredentials('Authorization must be "Bearer" and an API key or access token.');
  return token;
}
