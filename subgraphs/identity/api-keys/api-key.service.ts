import { scopeOf } from '../../../kernel/access/principal.ts';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { AccountScopes } from '../accounts/account-scopes.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { requireToGrant } from '../granting/grants.ts';
import { AccessRules } from '../restrictions/access.rules.ts';
import type { CountryLocator } from '../restrictions/country-locator.ts';
import { CountriesUnknown, WouldLockOut } from '../restrictions/restriction.errors.ts';
import { newSecret } from '../tokens/secret.ts';
import { ApiKey } from './api-key.entity.ts';
import { KeyExpired, NoSigningSecret, OwnKey } from './api-key.errors.ts';
import type { ApiKeyCreateInput, ApiKeyUpdateInput } from './api-key.inputs.ts';
import type { ApiKeyRateLimit, ApiKeyRestrictionsInput } from './api-key.values.ts';
import { generateApiKey } from './api-key-secret.ts';

export interface ApiKeyServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  /** True if this platform is a sandbox, in which new keys are test keys. */
  sandbox: boolean;
  secrets: SecretBox;
  locator: CountryLocator;
  trail: AuditTrail;
  scopes: AccountScopes;
  feed: ChangeFeed;
}

const SIGNING_SECRET_PREFIX = 'sgn_';

/** Manages the API keys of the caller's organization (specification 2.2, 4.1). */
export class ApiKeyService {
  constructor(private readonly deps: ApiKeyServiceDeps) {}

  find(id: string): Promise<ApiKey | null> {
    return this.deps.em.findOne(ApiKey, { id });
  }

  list(sort: SortBy[], page: PageInput): Promise<Page<ApiKey>> {
    return listPage(this.deps.em, ApiKey, { where: {}, sort, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Creates a key. The result contains the key and its signing secret, which are never shown again.
   * @throws InsufficientPermissions for a permission that the caller does not hold; InvalidParameters
   */
  async create({
    name,
    description,
    permissions,
    rateLimit,
    restrictions,
    requireSignature,
    ...scope
  }: ApiKeyCreateInput): Promise<ApiKey> {
    const { em, request, clock, sandbox, secrets } = this.deps;
    requireToGrant(request.principal, permissions);
    this.#checkCountries(restrictions?.countries);
    const accounts = await this.deps.scopes.grant(scope.accounts);
    const key = ApiKey.issue(generateApiKey(sandbox), {
      organizationId: request.principal.organizationId,
      name,
      description: description ?? null,
      permissions: [...new Set(permissions)],
      accounts,
      rateLimit: rateLimit ? plain(rateLimit) : null,
      ipWhitelist: restrictions?.ipWhitelist ?? [],
      timeWindows: restrictions?.timeWindows?.map((window) => ({ ...window })) ?? [],
      countries: restrictions?.countries ?? [],
      expiresAt: restrictions?.expiresAt ?? null,
      requireSignature,
      createdAt: clock.now(),
    });
    key.signWith(newSecret(SIGNING_SECRET_PREFIX), secrets);
    await em.transactional(async (tx) => {
      tx.persist(key);
      await this.#audit(tx, key, 'api_key_created');
    });
    return key;
  }

  /** Updates a key. @throws ResourceNotFound, InsufficientPermissions, InvalidParameters, NoSigningSecret */
  async update(id: string, { permissions, rateLimit, restrictions, requireSignature, ...input }: ApiKeyUpdateInput): Promise<ApiKey> {
    requireToGrant(this.deps.request.principal, permissions ?? []);
    this.#checkCountries(restrictions?.countries);
    const accounts = await this.deps.scopes.change(input.accounts);
    return this.#change(id, 'api_key_updated', (key) => {
      Object.assign(key, definedOnly({ ...input, accounts }));
      if (permissions) key.permissions = [...new Set(permissions)];
      if (rateLimit !== undefined) key.rateLimit = rateLimit && plain(rateLimit);
      if (restrictions !== undefined) restrict(key, restrictions ?? NO_RESTRICTIONS);
      if (requireSignature && !key.sealedSigningSecret) throw new NoSigningSecret();
      if (requireSignature !== undefined) key.requireSignature = requireSignature;
      this.#checkLockOut(key);
    });
  }

  /**
   * Rotates a key. The result contains the new key and the new signing secret, which are never shown again. The old key
   * and its secret work for `graceSeconds` seconds. An older key from an earlier rotation stops working immediately.
   * @throws ResourceNotFound, InsufficientPermissions, KeyExpired
   */
  rotate(id: string, graceSeconds: number): Promise<ApiKey> {
    const { clock, sandbox, secrets } = this.deps;
    return this.#change(id, 'api_key_rotated', (key) => {
      const now = clock.now();
      if (key.expiresAt && key.expiresAt <= now) throw new KeyExpired();
      key.rotate(generateApiKey(sandbox), graceSeconds > 0 ? new Date(now.getTime() + graceSeconds * 1000) : null);
      key.signWith(newSecret(SIGNING_SECRET_PREFIX), secrets);
    });
  }

  /** Deletes a key and returns its last state. @throws ResourceNotFound, InsufficientPermissions, OwnKey */
  async delete(id: string): Promise<ApiKey> {
    if (id === this.deps.request.principal.id) throw new OwnKey();
    return this.#change(id, 'api_key_deleted', (_, tx) => tx.nativeDelete(ApiKey, { id }));
  }

  /**
   * Changes a key and writes an audit record. The change takes effect in this process before the response, and in all
   * processes within seconds.
   */
  async #change(id: string, eventType: string, act: (key: ApiKey, tx: EntityManager) => unknown): Promise<ApiKey> {
    const changed = await this.deps.em.transactional(async (tx) => {
      const key = await this.#locked(tx, id);
      await act(key, tx);
      await this.#audit(tx, key, eventType);
      return key;
    });
    this.deps.feed.changed(id);
    return changed;
  }

  /**
   * Loads and locks a key. Refuses a key that has permissions or accounts that the caller does not have. Otherwise the
   * caller could rotate the key and use it, or change its restrictions so that somebody else can use it.
   */
  async #locked(tx: EntityManager, id: string): Promise<ApiKey> {
    const key = orNotFound(await tx.findOne(ApiKey, { id }, LOCKED), 'api_key', id);
    requireToGrant(this.deps.request.principal, key.permissions);
    this.deps.scopes.requireOver(key.accounts);
    return key;
  }

  #checkCountries(countries: readonly string[] | null | undefined): void {
    if (countries?.length && !this.deps.locator.isConfigured) throw new CountriesUnknown('restrictions.countries');
  }

  /** Refuses restrictions that would lock out the caller, if the caller changes its own key. @throws WouldLockOut */
  #checkLockOut(key: ApiKey): void {
    const { request, locator, clock } = this.deps;
    if (key.id !== request.principal.id || !request.client) return;
    const violation = AccessRules.of(key, locator)?.violationBy(request.client, clock.now());
    if (violation) throw new WouldLockOut(`restrictions.${violation}`);
  }

  #audit(tx: EntityManager, { id: clientId, permissions }: ApiKey, eventType: string): Promise<void> {
    const entry = { eventType, clientId, tokenType: 'api_key', scopes: permissions.map(scopeOf) };
    return this.deps.trail.recordBy(this.deps.request, entry, tx);
  }
}

const NO_RESTRICTIONS: ApiKeyRestrictionsInput = { ipWhitelist: null, expiresAt: null, timeWindows: null, countries: null };

/** Applies restrictions to a key. A restriction that is left out keeps its value. */
function restrict(key: ApiKey, { ipWhitelist, expiresAt, timeWindows, countries }: ApiKeyRestrictionsInput): void {
  if (ipWhitelist !== undefined) key.ipWhitelist = ipWhitelist ?? [];
  if (expiresAt !== undefined) key.expiresAt = expiresAt;
  if (timeWindows !== undefined) key.timeWindows = timeWindows?.map((window) => ({ ...window })) ?? [];
  if (countries !== undefined) key.countries = countries ?? [];
}

const plain = ({ requestsPerMinute, burstLimit }: ApiKeyRateLimit): ApiKeyRateLimit => ({
  requestsPerMinute: requestsPerMinute ?? null,
  burstLimit: burstLimit ?? null,
});
