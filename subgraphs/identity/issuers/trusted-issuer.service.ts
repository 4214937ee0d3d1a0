import { scopeOf } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, LOCKED, onDuplicate, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { AccountScopes } from '../accounts/account-scopes.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { requireToGrant } from '../granting/grants.ts';
import { TrustedIssuer } from './trusted-issuer.entity.ts';
import { IssuerTaken } from './trusted-issuer.errors.ts';
import type { TrustedIssuerCreateInput, TrustedIssuerUpdateInput } from './trusted-issuer.inputs.ts';

export interface TrustedIssuerServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  guard: UrlGuard;
  /** The issuer of the platform's own tokens. */
  ownIssuer: string;
  trail: AuditTrail;
  feed: ChangeFeed;
  scopes: AccountScopes;
}

/**
 * Manages the issuers whose tokens an organization accepts (specification 5.4). The caller must hold the permissions that a registration
 * grants to these tokens.
 */
export class TrustedIssuerService {
  constructor(private readonly deps: TrustedIssuerServiceDeps) {}

  find(id: string): Promise<TrustedIssuer | null> {
    return this.deps.em.findOne(TrustedIssuer, { id });
  }

  list(page: PageInput): Promise<Page<TrustedIssuer>> {
    return listPage(this.deps.em, TrustedIssuer, { where: {}, page, defaultSort: NEWEST_FIRST });
  }

  /** Registers an issuer. @throws InsufficientPermissions, InvalidParameters, IssuerTaken */
  async create(input: TrustedIssuerCreateInput): Promise<TrustedIssuer> {
    const { em, request, clock } = this.deps;
    requireToGrant(request.principal, input.permissions);
    await this.#checkUrls(input);
    const accounts = await this.deps.scopes.grant(input.accounts);
    const now = clock.now();
    const issuer = Object.assign(new TrustedIssuer(), input, {
      id: newId('trustedIssuer'),
      organizationId: request.principal.organizationId,
      subjects: input.subjects ?? [],
      permissionsClaim: input.permissionsClaim ?? null,
      permissions: [...new Set(input.permissions)],
      accounts,
      createdAt: now,
      updatedAt: now,
    });
    const creating = em.transactional(async (tx) => {
      tx.persist(issuer);
      await this.#audit(tx, issuer, 'trusted_issuer_created');
    });
    await creating.catch(onDuplicate(() => new IssuerTaken()));
    return issuer;
  }

  /**
   * Updates the registration of an issuer.
   * @throws ResourceNotFound, InsufficientPermissions, InvalidParameters, IssuerTaken
   */
  async update(id: string, input: TrustedIssuerUpdateInput): Promise<TrustedIssuer> {
    requireToGrant(this.deps.request.principal, input.permissions ?? []);
    await this.#checkUrls(input);
    const accounts = await this.deps.scopes.change(input.accounts);
    return this.#change(id, 'trusted_issuer_updated', (issuer) => {
      Object.assign(issuer, definedOnly({ ...input, accounts }));
      issuer.updatedAt = this.deps.clock.now();
    });
  }

  /**
   * Deletes the registration of an issuer and returns its last state. Tokens of the issuer stop working.
   * @throws ResourceNotFound, InsufficientPermissions
   */
  delete(id: string): Promise<TrustedIssuer> {
    return this.#change(id, 'trusted_issuer_deleted', (_, tx) => tx.nativeDelete(TrustedIssuer, { id }));
  }

  async #change(id: string, eventType: string, act: (issuer: TrustedIssuer, tx: EntityManager) => unknown): Promise<TrustedIssuer> {
    const { em, request, feed } = this.deps;
    const changing = em.transactional(async (tx) => {
      const issuer = orNotFound(await tx.findOne(TrustedIssuer, { id }, LOCKED), 'trusted_issuer', id);
      // a caller who changes `jwksUri` can sign tokens with all permissions of the issuer
      requireToGrant(request.principal, issuer.permissions);
      this.deps.scopes.requireOver(issuer.accounts);
      await act(issuer, tx);
      await this.#audit(tx, issuer, eventType);
      return issuer;
    });
    const changed = await changing.catch(onDuplicate(() => new IssuerTaken()));
    feed.changed(id);
    return changed;
  }

  async #checkUrls({ issuer, jwksUri }: Pick<TrustedIssuerUpdateInput, 'issuer' | 'jwksUri'>): Promise<void> {
    const { guard, ownIssuer } = this.deps;
    const isOwn = issuer === ownIssuer;
    const ofIssuer = isOwn ? 'is this platform, whose own tokens are always accepted' : issuer && (await guard.problemWith(issuer));
    const ofKeys = jwksUri && (await guard.problemWith(jwksUri));
    refuse([
      ...(ofIssuer ? [{ field: 'issuer', value: issuer, reason: ofIssuer }] : []),
      ...(ofKeys ? [{ field: 'jwksUri', value: jwksUri, reason: ofKeys }] : []),
    ]);
  }

  #audit(tx: EntityManager, { id: clientId, permissions }: TrustedIssuer, eventType: string): Promise<void> {
    return this.deps.trail.recordBy(this.deps.request, { eventType, clientId, scopes: permissions.map(scopeOf) }, tx);
  }
}
