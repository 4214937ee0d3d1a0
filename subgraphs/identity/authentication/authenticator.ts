import type { X509Certificate } from 'node:crypto';
import type { Credentials, ShownToken } from '../../../kernel/access/credentials.ts';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm, Rows } from '../../../kernel/database/database.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { KeySets } from '../issuers/key-sets.ts';
import type { CountryLocator } from '../restrictions/country-locator.ts';
import { InvalidSignature } from '../signing/signature.errors.ts';
import type { SignatureVerifier } from '../signing/signature.verifier.ts';
import type { AccessTokens } from '../tokens/access-token.ts';
import { AccessTokenVerifier } from './access-token.verifier.ts';
import { ApiKeyVerifier } from './api-key.verifier.ts';
import type { Authenticated, Method } from './authenticated.ts';
import { AuthenticationAudit } from './authentication-audit.ts';
import { CertificateVerifier } from './certificate.verifier.ts';
import type { ChangeFeed } from './change-feed.ts';
import { CredentialUsage } from './credential-usage.ts';
import { claimsOf, ExternalTokenVerifier } from './external-token.verifier.ts';
import type { OrganizationStatusCache } from './organization-status-cache.ts';
import { RecentCredentials } from './recent-credentials.ts';

export interface AuthenticatorParts {
  orm: Orm;
  rows: Rows;
  clock: Clock;
  log: Logger;
  /** True if this platform issues and accepts only test keys. Otherwise it issues and accepts only live keys. */
  sandbox: boolean;
  /**
   * Authorities that must have issued a client certificate. If undefined, any issuer and self-signed certificates are
   * accepted.
   */
  clientAuthorities: readonly X509Certificate[] | undefined;
  tokens: AccessTokens;
  feed: ChangeFeed;
  organizationStatus: OrganizationStatusCache;
  trail: AuditTrail;
  /** Decrypts the signing secrets of API keys. */
  secrets: SecretBox;
  locator: CountryLocator;
  signatures: SignatureVerifier;
  /** Caches the public keys of other issuers. */
  keySets: KeySets;
}

const shown = (credentials: Credentials): string =>
  credentials.kind === 'certificate' ? credentials.certificate.fingerprint256 : credentials.token;

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Authenticates requests. Each kind of credentials has its own verifier, which is chosen by the form of the
 * credentials.
 */
export class Authenticator {
  readonly #apiKeyUsage: CredentialUsage;
  readonly #apiKeys: ApiKeyVerifier;
  readonly #accessTokens: AccessTokenVerifier;
  readonly #externalTokens: ExternalTokenVerifier;
  readonly #certificateUsage: CredentialUsage;
  readonly #certificates: CertificateVerifier;
  readonly #recent = new RecentCredentials();
  readonly #audit: AuthenticationAudit;

  constructor(private readonly parts: AuthenticatorParts) {
    this.#audit = new AuthenticationAudit(parts.trail);
    const { orm, rows, clock, log, clientAuthorities, tokens, locator, feed } = parts;
    this.#apiKeyUsage = new CredentialUsage(orm, log, 'api_key');
    this.#apiKeys = new ApiKeyVerifier({ ...parts, usage: this.#apiKeyUsage });
    this.#externalTokens = new ExternalTokenVerifier(parts);
    this.#accessTokens = new AccessTokenVerifier(rows, clock, tokens, locator, feed);
    this.#certificateUsage = new CredentialUsage(orm, log, 'certificate');
    this.#certificates = new CertificateVerifier({ rows, clock, usage: this.#certificateUsage, authorities: clientAuthorities, feed });
  }

  /**
   * Authenticates the credentials of a request. The data of the credentials is cached until it changes, so most
   * requests cost no query.
   * @throws PlatformError 401 INVALID_CREDENTIALS, TOKEN_EXPIRED, INVALID_SIGNATURE; 403 IP_NOT_ALLOWED,
   * ACCESS_RESTRICTED, ORGANIZATION_SUSPENDED, ORGANIZATION_CLOSED
   */
  async authenticate(credentials: Credentials): Promise<Authenticated> {
    const method = methodOf(credentials);
    try {
      const authenticated = await this.#verify(credentials, method);
      // checked after the credentials, so that only their holder learns the state of the organization
      await this.parts.organizationStatus.requireActive(authenticated.principal.organizationId);
      this.#recent.add(shown(credentials));
      this.#audit.succeeded(credentials, authenticated);
      return authenticated;
    } catch (error) {
      if (error instanceof PlatformError && (error.status === 401 || error.status === 403)) {
        // `isFamiliar` must return false for refused credentials, so that the rate limit of the IP address applies
        this.#recent.delete(shown(credentials));
        this.#audit.failed(credentials, method, error);
      }
      throw error;
    }
  }

  /**
   * Returns whether these credentials were valid when they were last used. This is only a hint from memory:
   * `authenticate` must still verify them.
   */
  isFamiliar(credentials: Credentials): boolean {
    return this.#recent.has(shown(credentials));
  }

  /**
   * Chooses the verifier by the issuer of the token. A token without a foreign issuer is verified as an access token of
   * this platform.
   */
  #issuerOf({ token }: ShownToken): AccessTokenVerifier | ExternalTokenVerifier {
    const { iss } = claimsOf(token) ?? {};
    const isExternal = typeof iss === 'string' && iss !== this.parts.tokens.addresses.issuer;
    return isExternal ? this.#externalTokens : this.#accessTokens;
  }

  /** Verifies an access token of this platform for introspection, without an audit record. @throws PlatformError 401 */
  async inspect(token: string): Promise<Authenticated> {
    const authenticated = await this.#accessTokens.inspect(token);
    await this.parts.organizationStatus.requireActive(authenticated.principal.organizationId);
    return authenticated;
  }

  /**
   * Writes the counted uses of keys and certificates. Call it after the last request and before the database closes.
   */
  async stop(): Promise<void> {
    await this.#apiKeyUsage.flush();
    await this.#certificateUsage.flush();
  }

  async #verify(credentials: Credentials, method: Method): Promise<Authenticated> {
    if (method !== 'api_key') refuseSignature(credentials);
    if (credentials.kind === 'certificate') return this.#certificates.verify(credentials);
    return (method === 'jwt' ? this.#issuerOf(credentials) : this.#apiKeys).verify(credentials);
  }
}

/**
 * Refuses a signed request whose credentials cannot have a signing secret. If the platform ignored the signature, the
 * client would wrongly believe that the request is protected.
 */
function refuseSignature({ signing }: Credentials): void {
  if (typeof signing === 'object' && signing.signature !== undefined) throw new InvalidSignature('not_signable');
}

function methodOf(credentials: Credentials): Method {
  if (credentials.kind === 'certificate') return 'certificate';
  return credentials.kind === 'bearer' && JWT.test(credentials.token) ? 'jwt' : 'api_key';
}
