import { type Plan, scopeOf } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { ClientInfo } from '../../../kernel/request.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { grantsOf } from '../granting/user-roles.ts';
import { Organization } from '../organizations/organization.entity.ts';
import type { UserAccess } from '../restrictions/user-access.ts';
import { ACCESS_TOKEN_SECONDS, type AccessTokens } from '../tokens/access-token.ts';
import { newSecret, secretDigest } from '../tokens/secret.ts';
import { UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';
import type { KnownPlaces } from './known-places.ts';
import { RefreshToken } from './refresh-token.entity.ts';
import { Session } from './session.entity.ts';
import { LoginRefused, RefreshRefused } from './session.errors.ts';
import type { SessionTokens } from './session.values.ts';

export interface SessionsParts {
  orm: Orm;
  clock: Clock;
  tokens: AccessTokens;
  trail: AuditTrail;
  feed: ChangeFeed;
  userAccess: UserAccess;
  places: KnownPlaces;
  /** Returns the requests per minute that a plan allows. Access tokens contain this number as a claim. */
  requestsPerMinute(plan: Plan): number;
}

/** Method and origin of a login. */
export interface Login {
  method: 'password' | 'saml';
  client: ClientInfo | undefined;
}

/** Time after which a session expires if it is not refreshed. */
const IDLE_MS = 14 * DAY_MS;
/** Time after which a session expires even if it is refreshed (ASVS 7.3). */
const ABSOLUTE_MS = 30 * DAY_MS;

/**
 * Manages sessions of users and their tokens (specification 2.3, 4.1). There is one instance per process, since SAML
 * sign-ins open sessions too.
 */
export class Sessions {
  constructor(private readonly parts: SessionsParts) {}

  /**
   * Opens a session for a user who was just authenticated. Refuses a user who was suspended, or whose password changed,
   * after the authentication.
   * @throws LoginRefused, IpNotAllowed, AccessRestricted
   */
  async open(user: User, { method, client }: Login): Promise<SessionTokens> {
    await this.parts.userAccess.check(user.organizationId, client);
    const now = this.parts.clock.now();
    const session = Object.assign(new Session(), {
      id: newId('session'),
      organizationId: user.organizationId,
      userId: user.id,
      method,
      ipAddress: client?.ip ?? null,
      userAgent: client?.userAgent?.slice(0, 500) ?? null,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: new Date(now.getTime() + ABSOLUTE_MS),
    });
    const refreshToken = await this.parts.orm.em.fork().transactional(async (tx) => {
      // waits for a concurrent suspension or password change and then finds no row; a change after this update revokes
      // the new session too
      const present = { id: user.id, status: UserStatus.ACTIVE, ...(method === 'password' && { passwordHash: user.passwordHash }) };
      if ((await tx.nativeUpdate(User, present, { lastLogin: now }, EVERYWHERE)) === 0) throw new LoginRefused();
      await this.parts.places.remember(tx, user.id, client, { secondFactor: false });
      const secret = this.#nextRefreshToken(tx, session);
      tx.persist(session);
      const scopes = grantsOf(user.role).map(scopeOf);
      await this.#audit(tx, session, client, { eventType: 'authentication_success', authenticationMethod: method, scopes });
      return secret;
    });
    user.lastLogin = now;
    return this.#tokens(user, session, refreshToken);
  }

  /**
   * Continues a session. If a refresh token is used twice, it may be stolen, so the session is revoked. If access
   * restrictions refuse the request, the token is not used up: it can be used at an allowed time or place.
   * @throws RefreshRefused, IpNotAllowed, AccessRestricted
   */
  async refresh(refreshToken: string, client: ClientInfo | undefined): Promise<SessionTokens> {
    const continued = await this.parts.orm.em.fork().transactional((tx) => this.#continue(tx, refreshToken, client));
    if ('reason' in continued) {
      if (continued.session) this.parts.feed.changed(continued.session.id);
      await this.parts.trail.record({
        eventType: 'authentication_failure',
        organizationId: continued.session?.organizationId,
        userId: continued.session?.userId,
        client,
        authenticationMethod: 'refresh_token',
        tokenType: 'refresh_token',
        sessionId: continued.session?.id,
        reason: continued.reason,
      });
      throw new RefreshRefused();
    }
    return this.#tokens(continued.user, continued.session, continued.refreshToken);
  }

  /** Revokes a session and its tokens. Does nothing if the session has already ended. */
  async end(session: Session, reason: string, client?: ClientInfo): Promise<void> {
    await this.parts.orm.em.fork().transactional(async (tx) => {
      await tx.nativeUpdate(Session, { id: session.id, endedAt: null }, { endedAt: this.parts.clock.now(), endReason: reason }, EVERYWHERE);
      await this.#audit(tx, session, client, { eventType: 'session_ended', reason });
    });
    this.parts.feed.changed(session.id);
  }

  /**
   * Revokes all open sessions of a user, except the session `keptId`. Returns the ids of the revoked sessions. Pass the
   * ids to `ended` after the commit.
   */
  async endAllOf(tx: EntityManager, userId: string, reason: string, keptId?: string): Promise<string[]> {
    const open = await tx.find(Session, { userId, endedAt: null, ...(keptId && { id: { $ne: keptId } }) }, EVERYWHERE);
    for (const session of open) Object.assign(session, { endedAt: this.parts.clock.now(), endReason: reason });
    return open.map(({ id }) => id);
  }

  ended(sessionIds: readonly string[]): void {
    for (const id of sessionIds) this.parts.feed.changed(id);
  }

  async #continue(tx: EntityManager, refreshToken: string, client: ClientInfo | undefined): Promise<Continued | Refused> {
    const now = this.parts.clock.now();
    const hash = secretDigest(refreshToken);
    const token = await tx.findOne(RefreshToken, { hash }, LOCKED);
    const session = token && (await tx.findOne(Session, { id: token.sessionId }, EVERYWHERE));
    if (!token || !session) return { reason: 'unknown' };
    if (session.endedAt) return { reason: 'session has ended' };
    if (token.usedAt) {
      Object.assign(session, { endedAt: now, endReason: 'refresh token replayed' });
      return { reason: 'replayed', session };
    }
    if (token.expiresAt <= now || session.expiresAt <= now) return { reason: 'expired' };
    const user = await tx.findOne(User, { id: session.userId }, EVERYWHERE);
    if (user?.status !== UserStatus.ACTIVE) return { reason: 'user is not active' };
    await this.parts.userAccess.check(user.organizationId, client, tx);
    token.usedAt = now;
    session.lastUsedAt = now;
    const next = this.#nextRefreshToken(tx, session);
    const scopes = grantsOf(user.role).map(scopeOf);
    await this.#audit(tx, session, client, { eventType: 'authentication_success', authenticationMethod: 'refresh_token', scopes });
    return { user, session, refreshToken: next };
  }

  #nextRefreshToken(tx: EntityManager, session: Session): string {
    const now = this.parts.clock.now();
    const secret = newSecret('rt_');
    const expiresAt = new Date(Math.min(now.getTime() + IDLE_MS, session.expiresAt.getTime()));
    tx.persist(Object.assign(new RefreshToken(), { hash: secretDigest(secret), sessionId: session.id, createdAt: now, expiresAt }));
    return secret;
  }

  async #tokens(user: User, session: Session, refreshToken: string): Promise<SessionTokens> {
    const { orm, tokens, requestsPerMinute } = this.parts;
    const { plan } = await orm.em.fork().findOneOrFail(Organization, { id: user.organizationId });
    const permissions = grantsOf(user.role);
    const accessToken = await tokens.issue({
      subject: user.id,
      organizationId: user.organizationId,
      permissions,
      requestsPerMinute: requestsPerMinute(plan),
      sessionId: session.id,
    });
    return {
      accessToken,
      tokenType: 'Bearer',
      expiresIn: ACCESS_TOKEN_SECONDS,
      refreshToken,
      scope: permissions.map(scopeOf).join(' '),
      userId: user.id,
      sessionId: session.id,
      user,
    };
  }

  #audit(
    tx: EntityManager,
    { id: sessionId, organizationId, userId }: Session,
    client: ClientInfo | undefined,
    entry: { eventType: string; authenticationMethod?: string; scopes?: string[]; reason?: string },
  ): Promise<void> {
    const tokenType = entry.eventType === 'authentication_success' ? 'access_token' : null;
    return this.parts.trail.record({ ...entry, tokenType, sessionId, organizationId, userId, client }, tx);
  }
}

interface Continued {
  user: User;
  session: Session;
  refreshToken: string;
}

interface Refused {
  reason: string;
  session?: Session;
}
