import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { JWTExpired, JWTInvalid } from 'jose/errors';
import { InvalidCredentials } from '../../../kernel/access/credentials.ts';
import { type Grant, scopeOf } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { CredentialsExpired } from '../authentication.errors.ts';
import { ALGORITHM, type KeyRing } from './key-ring.ts';

/** Lifetime of an access token (specification 8.5). */
export const ACCESS_TOKEN_SECONDS = 3600;

/** Claims of an access token: the claims of specification 2.3, and the session and the client that the token belongs to. */
export interface AccessTokenClaims extends JWTPayload {
  sub: string;
  jti: string;
  exp: number;
  permissions: Grant[];
  organization_id: string;
  rate_limit: { requests_per_minute: number };
  /** Id of the session, or of the grant if the token was issued to a client. */
  sid?: string;
  /** Id of the OAuth client. */
  client_id?: string;
}

export interface NewAccessToken {
  subject: string;
  organizationId: string;
  permissions: readonly Grant[];
  requestsPerMinute: number;
  sessionId: string;
}

export interface TokenAddresses {
  /** Issuer of tokens (`iss`): the origin of the authorization server. */
  issuer: string;
  /** Audience of tokens (`aud`): the API. */
  audience: string;
}

/**
 * Signs and verifies access tokens (specification 2.3, 5.4). The caller must check whether the session of a token is
 * still open.
 */
export class AccessTokens {
  constructor(
    readonly addresses: TokenAddresses,
    private readonly ring: KeyRing,
    private readonly clock: Clock,
  ) {}

  async issue({ subject, organizationId, permissions, requestsPerMinute, sessionId }: NewAccessToken): Promise<string> {
    const { kid, privateKey } = await this.ring.current();
    const now = Math.floor(this.clock.now().getTime() / 1000);
    return new SignJWT({
      permissions: [...permissions],
      organization_id: organizationId,
      rate_limit: { requests_per_minute: requestsPerMinute },
      scope: permissions.map(scopeOf).join(' '),
      sid: sessionId,
    })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid })
      .setIssuer(this.addresses.issuer)
      .setAudience(this.addresses.audience)
      .setSubject(subject)
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(now + ACCESS_TOKEN_SECONDS)
      .setJti(newId('token'))
      .sign(privateKey);
  }

  /**
   * Verifies that this platform signed a token for this API. Checks algorithm, key, issuer, audience and times. A token
   * that contains a key in its header (`jwk`, `jku`, `x5c`) is refused; `kid` must be the id of a key of this platform.
   * @throws CredentialsExpired, InvalidCredentials
   */
  async verify(token: string): Promise<AccessTokenClaims> {
    try {
      const { payload } = await jwtVerify(token, async ({ kid = '', ...header }) => this.#keyOf(kid, header), {
        algorithms: [ALGORITHM],
        typ: 'JWT',
        issuer: this.addresses.issuer,
        audience: this.addresses.audience,
        currentDate: this.clock.now(),
        requiredClaims: ['sub', 'jti', 'exp', 'nbf', 'iat', 'organization_id', 'permissions'],
      });
      if (!Array.isArray(payload.permissions)) throw new JWTInvalid('permissions');
      return payload as AccessTokenClaims;
    } catch (error) {
      if (error instanceof JWTExpired)
        throw new CredentialsExpired(new Date(Number(error.payload.exp) * 1000), 'The access token has expired. Get another one.');
      throw new InvalidCredentials(undefined, reasonOf(error));
    }
  }

  async #keyOf(kid: string, header: object) {
    if (FOREIGN_KEYS.some((name) => name in header)) throw new JWTInvalid('header brings a key');
    const key = await this.ring.find(kid);
    if (!key) throw new JWTInvalid('unknown kid');
    return key.publicKey;
  }
}

const FOREIGN_KEYS = ['jwk', 'jku', 'x5c', 'x5u', 'x5t', 'x5t#S256'];

/** Error code of jose for the audit record, such as ERR_JWT_CLAIM_VALIDATION_FAILED. */
const reasonOf = (error: unknown): string => String((error as { code?: unknown }).code ?? 'unknown').toLowerCase();
