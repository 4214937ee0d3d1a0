import { hash } from 'node:crypto';
import { type JWTPayload, jwtVerify } from 'jose';
import { JWTExpired } from 'jose/errors';
import { InvalidCredentials, type ShownToken } from '../../../kernel/access/credentials.ts';
import { type Grant, grantOf, isGrant, narrowed, type Plan, Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { CredentialsExpired } from '../authentication.errors.ts';
import { type KeySets, KeysUnavailable } from '../issuers/key-sets.ts';
import { requireOpenAccount } from './account-scope.ts';
import type { Authenticated } from './authenticated.ts';
import type { ChangeFeed } from './change-feed.ts';
import { CredentialCache, type Found } from './credential-cache.ts';

/**
 * Accepted signature algorithms. All of them are asymmetric: with a shared secret, everyone who can verify a token could also sign tokens.
 */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
/** Accepted `typ` headers: access tokens, and tokens without a type. ID tokens and logout tokens are refused. */
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
/** Maximum difference between the clocks of the issuer and of this platform. */
const CLOCK_SKEW_SECONDS = 30;
const CACHED_TOKENS = 10_000;
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

interface KnownToken {
  expiresAt: Date;
  authenticated: Authenticated;
}

/** A registered issuer and its organization. */
interface Registration {
  id: string;
  organization_id: string;
  plan: Plan;
  audience: string;
  jwks_uri: string;
  permissions: Grant[];
  accounts: string[] | null;
  permissions_claim: string | null;
  subjects: string[];
}

const REGISTRATIONS = `select t."id", t."organization_id", o."plan", t."audience", t."jwks_uri", t."permissions", t."accounts", t."permissions_claim", t."subjects"
  from "identity"."trusted_issuer" t join "identity"."organization" o on o."id" = t."organization_id"
  where t."issuer" = $1 and t."audience" = any($2::text[])`;

export interface ExternalTokenVerifierParts {
  rows: Rows;
  clock: Clock;
  keySets: KeySets;
  feed: ChangeFeed;
}

/**
 * Verifies tokens of issuers that an organization trusts (specification 5.4). A token authenticates a program of that
 * organization.
 */
export class ExternalTokenVerifier {
  readonly #known: CredentialCache<KnownToken>;

  constructor(private readonly parts: ExternalTokenVerifierParts) {
    this.#known = new CredentialCache(parts.feed, CACHED_TOKENS);
  }

  /** Verifies a token of a trusted issuer. @throws InvalidCredentials, CredentialsExpired */
  async verify({ token }: Pick<ShownToken, 'token'>): Promise<Authenticated> {
    const found = this.#known.get(hash('sha256', token, 'hex'), () => this.#load(token));
    const known = found instanceof Promise ? await found : found;
    if (!known) throw new InvalidCredentials();
    if (known.expiresAt <= this.parts.clock.now()) throw expiredAt(known.expiresAt);
    return known.authenticated;
  }

  async #load(token: string): Promise<Found<KnownToken>> {
    const { iss = '', aud = [] } = claimsOf(token) ?? {};
    const audiences = [aud].flat().filter((one) => typeof one === 'string');
    const [registration, another] = await this.parts.rows.query<Registration>(REGISTRATIONS, [iss, audiences]);
    if (!registration) throw new InvalidCredentials(undefined, 'unknown issuer');
    if (another) throw new InvalidCredentials(undefined, 'audience of several organizations');
    const claims = await this.#verified(token, iss, registration);
    const { sub = '', exp = 0 } = claims;
    if (!SUBJECT.test(sub) || !isAccepted(sub, registration.subjects)) throw new InvalidCredentials(undefined, 'subject');
    const { id, organization_id: organizationId, accounts } = registration;
    await requireOpenAccount(this.parts.rows, organizationId, accounts);
    const principal = principalOf(registration, sub, claims);
    const value = {
      expiresAt: new Date((exp + CLOCK_SKEW_SECONDS) * 1000),
      authenticated: { principal, rateLimit: null, method: 'jwt' as const },
    };
    return { value, subjects: [id, organizationId, ...(accounts ?? [])] };
  }

  async #verified(token: string, issuer: string, { audience, jwks_uri: uri }: Registration): Promise<JWTPayload> {
    const { keySets, clock } = this.parts;
    try {
      const { payload, protectedHeader } = await jwtVerify(token, (header) => keySets.find(uri, header), {
        algorithms: ALGORITHMS,
        issuer,
        audience,
        clockTolerance: CLOCK_SKEW_SECONDS,
        currentDate: clock.now(),
        requiredClaims: ['sub', 'exp'],
      });
      if (!TYPES.includes(protectedHeader.typ?.toLowerCase())) throw new InvalidCredentials(undefined, 'typ');
      return payload;
    } catch (error) {
      if (error instanceof InvalidCredentials) throw error;
      if (error instanceof JWTExpired) throw expiredAt(new Date(Number(error.payload.exp) * 1000));
      if (error instanceof KeysUnavailable)
        throw new InvalidCredentials(
          "The keys of the token's issuer cannot be fetched at the moment. Try again later.",
          'issuer keys unavailable',
        );
      throw new InvalidCredentials(undefined, String((error as { code?: unknown }).code ?? 'unknown').toLowerCase());
    }
  }
}

const expiredAt = (at: Date): CredentialsExpired => new CredentialsExpired(at, 'The access token has expired. Get another one.');

/** Decodes the claims of a token without verifying the token. Returns undefined if the token is not a JWT. */
export function claimsOf(token: string): JWTPayload | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims === 'object' && claims !== null ? (claims as JWTPayload) : undefined;
  } catch {
    return undefined;
  }
}

const isAccepted = (subject: string, accepted: readonly string[]): boolean =>
  accepted.length === 0 || accepted.some((one) => (one.endsWith('*') ? subject.startsWith(one.slice(0, -1)) : one === subject));

function principalOf(
  { id, organization_id: organizationId, plan, permissions, accounts, permissions_claim: claim }: Registration,
  sub: string,
  claims: JWTPayload,
) {
  const most = new Principal({ kind: 'client', id: `${id}:${sub}`, organizationId, plan, grants: permissions, accounts });
  return claim === null ? most : new Principal({ ...most.toJSON(), grants: narrowed(grantsIn(claims[claim]), most) });
}

/**
 * Reads the permissions in a claim. The claim is a list, or a string that is separated by spaces. A permission is written
 * as `services:read` or `services.read`. Ignores values that are not permissions.
 */
function grantsIn(claim: unknown): Grant[] {
  const words: unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return words.flatMap((word) => {
    const grant = typeof word === 'string' ? grantOf(word) : '';
    return isGrant(grant) ? [grant] : [];
  });
}
