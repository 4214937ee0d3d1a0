import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import { type Credentials, InvalidCredentials, type ShownToken } from '../../../kernel/credentials.ts';
import type { Orm, Rows } from '../../../kernel/database.ts';
import { PlatformError } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/log.ts';
import { scopeOf } from '../../../kernel/principal.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import type { AuditTrail } from '../audit/audit.trail.ts';
import type { KeySets } from '../issuers/key-sets.ts';
import type { CountryLocator } from '../restrictions/country.locator.ts';
import { InvalidSignature } from '../signing/signature.errors.ts';
import type { SignatureVerifier } from '../signing/signature.verifier.ts';
import type { AccessTokens } from '../tokens/access-token.ts';
import { AccessTokenVerifier } from './access-token.verifier.ts';
import { ApiKeyVerifier } from './api-key.verifier.ts';
import type { Authenticated, Method } from './authenticated.ts';
import { CertificateVerifier } from './certificate.verifier.ts';
import type { ChangeFeed } from './change.feed.ts';
import { CredentialUsage } from './credential.usage.ts';
import { claimsOf, ExternalTokenVerifier } from './external-token.verifier.ts';
import { FamiliarCredentials } from './familiar.credentials.ts';

/** As the audit names what was shown. */
const TOKEN_TYPES: Readonly<Record<Method, string>> = { api_key: 'api_key', jwt: 'access_token', certificate: 'certificate' };

export interface AuthenticatorParts {
  orm: Orm;
  rows: Rows;
  clock: Clock;
  log: Logger;
  /** Whether this platform issues and accepts test keys, and no live ones. */
  sandbox: boolean;
  /** Who must have issued a client certificate; undefined where anyone may, itself too. */
  clientAuthorities: readonly X509Certificate[] | undefined;
  tokens: AccessTokens;
  feed: ChangeFeed;
  trail: AuditTrail;
  /** Opens the signing secrets of keys. */
  secrets: SecretBox;
  locator: CountryLocator;
  signatures: SignatureVerifier;
  /** Public keys of other issuers. */
  keySets: KeySets;
}

const shown = (credentials: Credentials): string =>
  credentials.kind === 'certificate' ? credentials.certificate.fingerprint256 : credentials.token;

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Whoever uses the same credentials from the same place again within this time is authenticated already. */
const SEEN_MS = 3_600_000;
const SEEN_MAX = 20_000;

/** Finds who is calling, whatever they show: each kind of credentials has a verifier of its own, chosen by its shape. */
export class Authenticator {
  readonly #apiKeyUsage: CredentialUsage;
  readonly #apiKeys: ApiKeyVerifier;
  readonly #accessTokens: AccessTokenVerifier;
  readonly #externalTokens: ExternalTokenVerifier;
  readonly #certificateUsage: CredentialUsage;
  readonly #certificates: CertificateVerifier;
  readonly #familiar = new FamiliarCredentials();
  readonly #seen = new Map<string, number>();

  constructor(private readonly parts: AuthenticatorParts) {
    const { orm, rows, clock, log, clientAuthorities, tokens, locator, feed } = parts;
    this.#apiKeyUsage = new CredentialUsage(orm, log, 'api_key');
    this.#apiKeys = new ApiKeyVerifier({ ...parts, usage: this.#apiKeyUsage });
    this.#externalTokens = new ExternalTokenVerifier(parts);
    this.#accessTokens = new AccessTokenVerifier(rows, clock, tokens, locator, feed);
    this.#certificateUsage = new CredentialUsage(orm, log, 'certificate');
    this.#certificates = new CertificateVerifier({ rows, clock, usage: this.#certificateUsage, authorities: clientAuthorities, feed });
  }

  /**
   * For every request: cached, and without a query while nothing changed.
   * @throws PlatformError 401 INVALID_CREDENTIALS, TOKEN_EXPIRED, INVALID_SIGNATURE, 403 IP_NOT_ALLOWED, ACCESS_RESTRICTED
   */
  async authenticate(credentials: Credentials): Promise<Authenticated> {
    const method = methodOf(credentials);
    try {
      const authenticated = await this.#verify(credentials, method);
      this.#familiar.add(shown(credentials));
      this.#noteSuccess(credentials, authenticated);
      return authenticated;
    } catch (error) {
      if (error instanceof InvalidCredentials) this.#familiar.delete(shown(credentials));
      if (error instanceof PlatformError) this.#noteFailure(credentials, method, error);
      throw error;
    }
  }

  /** Whether these were good when they were last shown, answered from memory. What they lead to must be looked up all the same. */
  isFamiliar(credentials: Credentials): boolean {
    return this.#familiar.has(shown(credentials));
  }

  /** Whoever signed it: what is no token of another issuer is judged as one of ours. */
  #issuerOf({ token }: ShownToken): AccessTokenVerifier | ExternalTokenVerifier {
    const { iss } = claimsOf(token) ?? {};
    const isExternal = typeof iss === 'string' && iss !== this.parts.tokens.addresses.issuer;
    return isExternal ? this.#externalTokens : this.#accessTokens;
  }

  /** Whom an access token of ours stands for now, without a note in the audit: others ask about it (introspection). @throws PlatformError 401 */
  inspect(token: string): Promise<Authenticated> {
    return this.#accessTokens.inspect(token);
  }

  /** Writes the uses counted so far. To be called when no more requests come, before the database closes. */
  async stop(): Promise<void> {
    await this.#apiKeyUsage.flush();
    await this.#certificateUsage.flush();
  }

  async #verify(credentials: Credentials, method: Method): Promise<Authenticated> {
    if (method !== 'api_key') refuseSignature(credentials);
    if (credentials.kind === 'certificate') return this.#certificates.verify(credentials);
    return (method === 'jwt' ? this.#issuerOf(credentials) : this.#apiKeys).verify(credentials);
  }

  /** Once an hour for the same credentials from the same place: what is known is not decided anew with every request. */
  #noteSuccess({ ip, userAgent }: Credentials, { principal, method }: Authenticated): void {
    const { id, sessionId = '' } = principal;
    const place = `${id}|${sessionId}|${ip}|${userAgent}`;
    const now = performance.now();
    const seenAt = this.#seen.get(place);
    if (seenAt !== undefined && now - seenAt < SEEN_MS) return;
    this.#seen.delete(place);
    if (this.#seen.size >= SEEN_MAX) this.#seen.delete(this.#seen.keys().next().value ?? '');
    this.#seen.set(place, now);
    this.parts.trail.note({
      eventType: 'authentication_success',
      organizationId: principal.organizationId,
      userId: principal.kind === 'user' ? id : null,
      clientId: principal.kind === 'user' ? principal.clientId : id,
      client: { ip, userAgent },
      authenticationMethod: method,
      tokenType: TOKEN_TYPES[method],
      scopes: principal.grants.map(scopeOf),
      sessionId: principal.sessionId,
    });
  }

  #noteFailure({ ip, userAgent }: Credentials, method: Method, error: PlatformError): void {
    this.parts.trail.note({
      eventType: 'authentication_failure',
      client: { ip, userAgent },
      authenticationMethod: method,
      tokenType: TOKEN_TYPES[method],
      reason: 'reason' in error ? String(error.reason) : error.code.toLowerCase(),
    });
  }
}

/** Nothing to check it with: a client that believes it signs is told, where silence would leave it believing. */
function refuseSignature({ signing }: Credentials): void {
  if (typeof signing === 'object' && signing.signature !== undefined) throw new InvalidSignature('not_signable');
}

function methodOf(credentials: Credentials): Method {
  if (credentials.kind === 'certificate') return 'certificate';
  return credentials.kind === 'bearer' && JWT.test(credentials.token) ? 'jwt' : 'api_key';
}
