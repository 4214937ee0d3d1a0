import { type Grant, grantOf } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InsufficientPermissions, InvalidParameters, refuse } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { AccountScopes } from '../accounts/account-scopes.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { OAuthClient } from './oauth-client.entity.ts';
import type { OAuthClientCreateInput, OAuthClientRotateInput, OAuthClientUpdateInput } from './oauth-client.inputs.ts';
import { DEFAULT_GRANT_TYPES, grantTypeProblems } from './oauth-client-grant-types.ts';

export interface OAuthClientServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  trail: AuditTrail;
  feed: ChangeFeed;
  scopes: AccountScopes;
}

/** Time for which a revocation is stored. It is longer than the lifetime of an access token. */
const REVOKED_KEPT_MS = 2 * 3_600_000;

/** Manages the OAuth clients of the caller's organization (specification 5.3). */
export class OAuthClientService {
  constructor(private readonly deps: OAuthClientServiceDeps) {}

  /**
   * Creates a client. The result contains its secret, which is never shown again.
   * @throws InsufficientPermissions for a scope that the caller does not have, InvalidParameters
   */
  async create({ scopes, ...input }: OAuthClientCreateInput): Promise<OAuthClient> {
    const { em, clock, request, scopes: accountScopes } = this.deps;
    const accounts = await accountScopes.grant(input.accounts);
    const client = OAuthClient.register(
      {
        organizationId: request.principal.organizationId,
        name: input.name,
        description: input.description ?? null,
        isConfidential: input.isConfidential ?? true,
        redirectUris: [...new Set(input.redirectUris ?? [])],
        grantTypes: [...(input.grantTypes ?? DEFAULT_GRANT_TYPES)],
        permissions: this.#grantable(scopes),
        accounts,
        homepageUrl: input.homepageUrl ?? null,
        logoUrl: input.logoUrl ?? null,
      },
      clock.now(),
    );
    await em.transactional(async (tx) => {
      tx.persist(client);
      await this.#audit(tx, client, 'oauth_client_created');
    });
    return client;
  }

  list(page: PageInput): Promise<Page<OAuthClient>> {
    return listPage(this.deps.em, OAuthClient, { where: {}, page, defaultSort: NEWEST_FIRST });
  }

  find(id: string): Promise<OAuthClient | null> {
    return this.deps.em.findOne(OAuthClient, { id });
  }

  /**
   * Updates a client. If the client becomes inactive, all its tokens are revoked.
   * @throws ResourceNotFound, InsufficientPermissions, InvalidParameters
   */
  async update(id: string, { scopes, active, ...input }: OAuthClientUpdateInput): Promise<OAuthClient> {
    const accounts = await this.deps.scopes.change(input.accounts);
    return this.#change(id, 'oauth_client_updated', async (client, tx) => {
      Object.assign(client, definedOnly({ ...input, accounts }));
      if (scopes) client.permissions = this.#grantable(scopes);
      refuse(grantTypeProblems(client));
      if (active === false && client.active) await this.#endTokens(tx, client);
      if (active !== undefined) client.active = active;
    });
  }

  /**
   * Rotates the secret of a client. The result contains the new secret, which is never shown again.
   * @throws ResourceNotFound, InsufficientPermissions, InvalidParameters for a public client
   */
  async rotateSecret(id: string, { gracePeriod, revokeTokens }: OAuthClientRotateInput): Promise<OAuthClient> {
    return this.#change(id, 'oauth_client_secret_rotated', async (client, tx) => {
      if (!client.isConfidential)
        throw new InvalidParameters([{ field: 'id', value: id, reason: 'is a public client, which has no secret' }]);
      const now = this.deps.clock.now();
      client.rotate(new Date(now.getTime() + (gracePeriod ?? 0) * 1000), now);
      if (revokeTokens) await this.#endTokens(tx, client);
    });
  }

  /** Deletes a client and revokes all its tokens. Returns the deleted record. @throws ResourceNotFound, InsufficientPermissions */
  async remove(id: string): Promise<OAuthClient> {
    return this.#change(id, 'oauth_client_deleted', async (client, tx) => {
      await this.#endTokens(tx, client);
      tx.remove(client);
    });
  }

  /**
   * Changes a client and writes an audit record. Refuses a client that has permissions or accounts that the caller does
   * not have. Otherwise the caller could set a new secret or redirect URI and then act as the client.
   */
  async #change(id: string, eventType: string, act: (client: OAuthClient, tx: EntityManager) => Promise<void>): Promise<OAuthClient> {
    const { em, clock, feed } = this.deps;
    const changed = await em.transactional(async (tx) => {
      const client = orNotFound(await tx.findOne(OAuthClient, { id }, LOCKED), 'oauth_client', id);
      this.#requireToGrant(client.permissions);
      this.deps.scopes.requireOver(client.accounts);
      const before = client.grantId;
      await act(client, tx);
      client.updatedAt = clock.now();
      await this.#audit(tx, client, eventType);
      return { client, ended: before === client.grantId ? [] : [before] };
    });
    for (const subject of [id, ...changed.ended]) feed.changed(subject);
    return changed.client;
  }

  /** Revokes all tokens of the client: the client's own tokens, and tokens with which it acts for users. */
  async #endTokens(tx: EntityManager, client: OAuthClient): Promise<void> {
    const now = this.deps.clock.now();
    const until = new Date(now.getTime() + REVOKED_KEPT_MS);
    await tx.execute(
      `insert into "identity"."revoked_token" ("id", "revoked_at", "expires_at")
       select "grant_id", ?::timestamptz, ?::timestamptz from "identity"."oauth_record"
         where "client_id" = ? and "kind" = 'Grant' and "grant_id" is not null
       union select ?, ?::timestamptz, ?::timestamptz on conflict ("id") do nothing`,
      [now, until, client.id, client.grantId, now, until],
    );
    await tx.execute(`delete from "identity"."oauth_record" where "client_id" = ?`, [client.id]);
    client.grantId = newId('grant');
  }

  #grantable(scopes: readonly string[]): Grant[] {
    const permissions = [...new Set(scopes)].map((scope) => grantOf(scope) as Grant);
    this.#requireToGrant(permissions);
    return permissions;
  }

  #requireToGrant(permissions: readonly Grant[]): void {
    const beyond = permissions.find((permission) => !this.deps.request.principal.mayGrant(permission));
    if (beyond) throw new InsufficientPermissions(beyond);
  }

  #audit(tx: EntityManager, { id: clientId, scopes }: OAuthClient, eventType: string): Promise<void> {
    return this.deps.trail.recordBy(this.deps.request, { eventType, clientId, scopes }, tx);
  }
}
