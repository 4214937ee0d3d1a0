import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { ResourceNotFound } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { requireToGrant } from '../granting/grants.ts';
import { grantsOfUser } from '../granting/user-roles.ts';
import { User } from '../users/user.entity.ts';
import { Session } from './session.entity.ts';
import { NoSession } from './session.errors.ts';
import type { CallerIdentity } from './session.values.ts';
import type { Sessions } from './sessions.ts';

export interface SessionServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  sessions: Sessions;
}

/** Returns the identity of the caller, and lists and revokes sessions (specification 4.1). */
export class SessionService {
  constructor(private readonly deps: SessionServiceDeps) {}

  async identity(): Promise<CallerIdentity> {
    const { kind, id, organizationId, plan, grants, accounts, sessionId, clientId, needsSecondFactor } = this.deps.request.principal;
    return {
      active: true,
      type: kind,
      id,
      organizationId,
      plan,
      permissions: [...grants],
      accounts: accounts && [...accounts],
      sessionId: sessionId ?? null,
      clientId: clientId ?? null,
      needsSecondFactor: needsSecondFactor === true,
      user: kind === 'user' ? await this.deps.em.findOne(User, { id }, EVERYWHERE) : null,
    };
  }

  /**
   * Lists the open sessions of the caller. If `userId` is given and the caller may administer credentials, lists the
   * open sessions of this user. API keys have no sessions.
   */
  list(userId: string | undefined, page: PageInput): Promise<Page<Session>> {
    const where = { userId: this.#userId(userId), endedAt: null, expiresAt: { $gt: this.deps.clock.now() } };
    return listPage(this.deps.em, Session, { where, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Revokes a session immediately. To revoke another user's session, the caller needs all permissions of that user.
   * @throws ResourceNotFound, SecondFactorRequired, InsufficientPermissions
   */
  async end(id: string): Promise<Session> {
    const { em, request, sessions } = this.deps;
    const session = await em.findOne(Session, { id, endedAt: null });
    const isOwn = session?.userId === this.#ownId;
    // a session of another user is treated as absent, unless the caller may administer the organization's credentials
    const mayEndOthers = request.principal.may('credentials:admin') && request.principal.accounts === null;
    if (!session || !(isOwn || mayEndOthers)) throw new ResourceNotFound('session', id);
    if (!isOwn) await this.#requireOver(session);
    await sessions.end(session, isOwn ? 'ended by its user' : 'ended by an administrator', request.client);
    return session;
  }

  async #requireOver({ userId }: Session): Promise<void> {
    const { em, request } = this.deps;
    const user = await em.findOne(User, { id: userId });
    if (user) requireToGrant(request.principal, grantsOfUser(user));
    request.principal.requireSecondFactor();
  }

  /** Revokes the session of the request. @throws NoSession */
  async logout(): Promise<Session> {
    const { em, request, sessions } = this.deps;
    const { sessionId } = request.principal;
    const session = sessionId ? await em.findOne(Session, { id: sessionId, endedAt: null }) : null;
    if (!session) throw new NoSession();
    await sessions.end(session, 'logout', request.client);
    return session;
  }

  /**
   * Id of the caller if the caller is a user. Undefined if a client acts for a user, since a client must not see or
   * revoke the user's sessions.
   */
  get #ownId(): string | undefined {
    const { kind, id, clientId } = this.deps.request.principal;
    return kind === 'user' && !clientId ? id : undefined;
  }

  #userId(wanted: string | undefined): string {
    const own = this.#ownId;
    if (wanted !== undefined && wanted !== own) {
      this.deps.request.principal.require('credentials:admin');
      this.deps.request.principal.requireOrganization();
    }
    return wanted ?? own ?? '';
  }
}
