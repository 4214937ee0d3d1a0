import { type Credentials, InvalidCredentials, type ShownToken } from '../../../kernel/access/credentials.ts';
import { isPlatformPermission, Principal } from '../../../kernel/access/principal.ts';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm, Rows } from '../../../kernel/database/database.ts';
import { ApiKey } from '../api-keys/api-key.entity.ts';
import { digestOf, isApiKey, isSandboxKey, prefixOf } from '../api-keys/api-key-secret.ts';
import { CredentialsExpired } from '../authentication.errors.ts';
import { Organization } from '../organizations/organization.entity.ts';
import { AccessRules } from '../restrictions/access.rules.ts';
import type { CountryLocator } from '../restrictions/country-locator.ts';
import type { SignatureVerifier, SigningKeyOf } from '../signing/signature.verifier.ts';
import { requireOpenAccount } from './account-scope.ts';
import type { Authenticated } from './authenticated.ts';
import type { ChangeFeed } from './change-feed.ts';
import { CredentialCache, type Found } from './credential-cache.ts';
import type { CredentialUsage } from './credential-usage.ts';

const CACHED_KEYS = 10_000;

interface KnownKey extends SigningKeyOf {
  authenticated: Authenticated;
  expiresAt: Date | null;
  /** Time at which the previous text of a rotated key stops working. Null for the current text of the key. */
  rotatedUntil: Date | null;
  /** Restrictions of the key on address, time and country. Undefined if the key has no such restrictions. */
  rules: AccessRules | undefined;
}

export interface ApiKeyVerifierParts {
  orm: Orm;
  rows: Rows;
  clock: Clock;
  sandbox: boolean;
  usage: CredentialUsage;
  feed: ChangeFeed;
  /** Decrypts signing secrets. */
  secrets: SecretBox;
  signatures: SignatureVerifier;
  locator: CountryLocator;
}

/** Verifies API keys (specification 5.2). Looking up a cached key costs a hash and a map access, but no query. */
export class ApiKeyVerifier {
  readonly #known: CredentialCache<KnownKey>;

  constructor(private readonly parts: ApiKeyVerifierParts) {
    this.#known = new CredentialCache(parts.feed, CACHED_KEYS);
  }

  /**
   * Verifies a key, its restrictions and the signature of the request.
   * @throws InvalidCredentials, CredentialsExpired, IpNotAllowed, AccessRestricted, InvalidSignature
   */
  async verify({ token, ip, country, signing }: Pick<ShownToken, 'token'> & Omit<Credentials, 'kind'>): Promise<Authenticated> {
    const { clock, sandbox, usage, signatures } = this.parts;
    if (!isApiKey(token)) throw new InvalidCredentials();
    if (isSandboxKey(token) !== sandbox)
      throw new InvalidCredentials(`Keys of this platform begin with ${prefixOf(sandbox)}.`, 'other environment');

    const hash = digestOf(token);
    const known = this.#known.get(hash, () => this.#load(hash));
    const key = known instanceof Promise ? await known : known;
    if (!key) throw new InvalidCredentials();
    const now = clock.now();
    if (key.expiresAt && key.expiresAt <= now) throw new CredentialsExpired(key.expiresAt);
    if (key.rotatedUntil && key.rotatedUntil <= now) throw new CredentialsExpired(key.rotatedUntil, ROTATED);
    key.rules?.check({ ip, country }, now);
    const isSigned = key.requireSignature || (typeof signing === 'object' && signing.signature !== undefined);
    if (isSigned && signing !== 'checked at opening') await signatures.verify(key, signing);
    // a WebSocket counts as one use when it opens; the periodic checks while it is open do not count
    if (signing !== 'checked at opening') usage.count(key.id, now);
    return key.authenticated;
  }

  async #load(hash: string): Promise<Found<KnownKey> | undefined> {
    const em = this.parts.orm.em.fork();
    const key = await em.findOne(ApiKey, { $or: [{ hash }, { previousHash: hash }] }, { filters: { organization: false } });
    const organization = key && (await em.findOne(Organization, { id: key.organizationId }));
    if (!organization) return undefined;
    await requireOpenAccount(this.parts.rows, organization.id, key.accounts);
    return { value: this.#knownKey(key, organization, hash), subjects: [key.id, organization.id, ...(key.accounts ?? [])] };
  }

  #knownKey(key: ApiKey, { id: organizationId, plan, operator }: Organization, hash: string): KnownKey {
    const { id, permissions, accounts, rateLimit, expiresAt, requireSignature, previousExpiresAt } = key;
    const isCurrent = key.hash === hash;
    const sealed = isCurrent ? key.sealedSigningSecret : key.previousSealedSigningSecret;
    const grants = operator ? permissions : permissions.filter((permission) => !isPlatformPermission(permission));
    const principal = new Principal({ kind: 'api_key', id, organizationId, plan, grants, accounts });
    return {
      id,
      authenticated: { principal, rateLimit, method: 'api_key' },
      expiresAt,
      rotatedUntil: isCurrent ? null : previousExpiresAt,
      rules: AccessRules.of(key, this.parts.locator),
      requireSignature,
      signingSecret: sealed ? this.parts.secrets.open(sealed, id) : undefined,
    };
  }
}

const ROTATED = 'This key was rotated, and its old text has stopped working. Use the new one.';
