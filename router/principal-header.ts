import { createHmac, timingSafeEqual } from 'node:crypto';
import { Principal, type PrincipalData } from '../kernel/access/principal.ts';
import { PlatformError } from '../kernel/errors/errors.ts';

/**
 * Name of the header that contains the principal. The router sends it to a subgraph, and a trusted gateway sends it to
 * the router.
 */
export const PRINCIPAL_HEADER = 'x-principal';

const LIFETIME_MS = 60_000;
/** Maximum accepted difference between the clocks of two machines. */
const SKEW_MS = 5_000;

/**
 * Signs a principal. The result is `<payload>.<HMAC-SHA256>`, both in base64url. The payload is the principal and its
 * expiry time in milliseconds.
 */
export function signPrincipal(principal: Principal, secret: string, now: Date): string {
  const payload = Buffer.from(JSON.stringify({ ...principal.toJSON(), expires: now.getTime() + LIFETIME_MS })).toString('base64url');
  return `${payload}.${mac(payload, secret).toString('base64url')}`;
}

/**
 * Verifies the header and returns its principal.
 * @throws PlatformError INVALID_CREDENTIALS if the header is missing or not signed with the secret
 * @throws PlatformError TOKEN_EXPIRED if the expiry time has passed, or is too far in the future
 */
export function verifyPrincipal(header: unknown, secret: string, now: Date): Principal {
  const [payload = '', signature = ''] = typeof header === 'string' ? header.split('.', 2) : [];
  const given = Buffer.from(signature, 'base64url');
  const expected = mac(payload, secret);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new PlatformError('INVALID_CREDENTIALS', `Send ${PRINCIPAL_HEADER}, signed with the secret of this service.`);
  }
  const { expires, ...data } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as PrincipalData & { expires: number };
  const validForMs = expires - now.getTime();
  if (validForMs < -SKEW_MS || validForMs > LIFETIME_MS + SKEW_MS)
    throw new PlatformError('TOKEN_EXPIRED', `${PRINCIPAL_HEADER} is too old. Sign it again for each request.`);
  return new Principal(data);
}

const mac = (payload: string, secret: string): Buffer => createHmac('sha256', secret).update(payload).digest();
