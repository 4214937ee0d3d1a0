import { InvalidCredentials, type RequestSigning, type ShownToken } from '../../kernel/access/credentials.ts';

// the syntax of bearer tokens (RFC 6750, 2.1)
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const KEY = /^[\x21-\x7e]+$/;

/**
 * Reads `Authorization: Bearer` or `X-API-Key` from headers, or from the parameters of a WebSocket's connection_init.
 * Returns null if both are absent.
 * @throws InvalidCredentials for another scheme, a malformed header, or two different values
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

/** Reads the request signature from headers, or from the parameters of a WebSocket's connection_init. */
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
