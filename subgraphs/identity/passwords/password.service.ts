import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database.ts';
import type { Jobs } from '../../../kernel/jobs.ts';
import { EVERYWHERE } from '../../../kernel/organization.filter.ts';
import { LOCKED } from '../../../kernel/records.ts';
import type { ClientInfo, RequestContext } from '../../../kernel/request.ts';
import type { AuditTrail } from '../audit/audit.trail.ts';
import type { MailQueue } from '../messages/message.queue.ts';
import { Organization } from '../organizations/organization.entity.ts';
import type { LoginAttempts } from '../sessions/login.attempts.ts';
import { LoginRefused } from '../sessions/session.errors.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { newSecret, secretDigest } from '../tokens/secret.ts';
import { hashPassword, type PasswordCost, verifyPassword } from '../users/password.ts';
import { User } from '../users/user.entity.ts';
import { UserStatus } from '../users/user.states.ts';
import { OneTimeToken, TokenPurpose } from './one-time-token.entity.ts';
import { LinkRefused } from './password.errors.ts';
import { changedMail, invitationMail, resetMail } from './password.mails.ts';
import { checkPassword } from './password.rules.ts';

export interface PasswordParts {
  orm: Orm;
  clock: Clock;
  mails: MailQueue;
  sessions: Sessions;
  attempts: LoginAttempts;
  trail: AuditTrail;
  jobs: Jobs;
  /** Where the page is that a mail's link opens. */
  authOrigin: string;
  passwordCost: PasswordCost | undefined;
}

const RESET_QUEUE = 'identity.password-reset';

const HOUR_MS = 3_600_000;
const LIVES_MS: Readonly<Record<TokenPurpose, number>> = {
  [TokenPurpose.INVITATION]: 7 * 24 * HOUR_MS,
  [TokenPurpose.PASSWORD_RESET]: HOUR_MS,
};
interface ResetRequest {
  email: string;
  client: ClientInfo | undefined;
}

/** Passwords of users: chosen by the link of a mail, or changed by who knows the present one. */
export class PasswordService {
  constructor(private readonly parts: PasswordParts) {
    parts.jobs.define<ResetRequest>(RESET_QUEUE, (request) => this.#sendReset(request));
  }

  /** Sends the link to a user who has just been made, with the transaction that made them. */
  async invite(tx: EntityManager, user: User): Promise<void> {
    const { name } = await tx.findOneOrFail(Organization, { id: user.organizationId });
    const link = this.#link(tx, user, TokenPurpose.INVITATION);
    await this.parts.mails.enqueue(tx, invitationMail(user, name, link));
  }

  /** Has a link sent, if there is such a user. Who asks learns nothing: finding the user is left to a job. @throws TooManyAttempts */
  async requestReset(typed: string, client: ClientInfo | undefined): Promise<void> {
    const email = typed.trim().toLowerCase();
    await this.parts.attempts.begin(`reset:${email}`, client?.ip);
    await this.parts.orm.em
      .fork()
      .transactional((tx) => this.parts.jobs.enqueue(tx, RESET_QUEUE, { email, client } satisfies ResetRequest));
  }

  async #sendReset({ email, client }: ResetRequest): Promise<void> {
    await this.parts.orm.em.fork().transactional(async (tx) => {
      const user = await tx.findOne(User, { email }, EVERYWHERE);
      if (!user || user.status === UserStatus.SUSPENDED) return;
      const isInvited = user.status === UserStatus.INVITED;
      if (isInvited) return this.invite(tx, user);
      await this.parts.mails.enqueue(tx, resetMail(user, this.#link(tx, user, TokenPurpose.PASSWORD_RESET)));
      await this.#audit(tx, user, client, 'password_reset_requested');
    });
  }

  /** Whether the link still leads to a password; to look does not use it up. @throws LinkRefused */
  async checkLink(secret: string): Promise<void> {
    await this.#userOf(this.parts.orm.em.fork(), secretDigest(secret));
  }

  /** Chooses the password of whose link it is. All sessions end. @throws LinkRefused, WeakPassword */
  async choose(secret: string, password: string, client: ClientInfo | undefined): Promise<User> {
    const { orm, clock, sessions } = this.parts;
    const hash = secretDigest(secret);
    const known = await this.#userOf(orm.em.fork(), hash);
    checkPassword(password, known);
    const passwordHash = await hashPassword(password, this.parts.passwordCost);
    const { user, ended } = await orm.em.fork().transactional(async (tx) => {
      // the user first: of two links at once, or a login meanwhile, one sees what the other did
      const user = await tx.findOne(User, { id: known.id }, { ...EVERYWHERE, ...LOCKED });
      if (!user || user.status === UserStatus.SUSPENDED) throw new LinkRefused();
      const token = await tx.findOne(OneTimeToken, { hash }, LOCKED);
      if (!token || token.usedAt) throw new LinkRefused();
      await tx.nativeUpdate(OneTimeToken, { userId: user.id, usedAt: null }, { usedAt: clock.now() });
      const isInvitation = user.status === UserStatus.INVITED;
      Object.assign(user, { passwordHash, status: UserStatus.ACTIVE, updatedAt: clock.now() });
      const ended = await sessions.endAllOf(tx, user.id, 'password chosen');
      if (!isInvitation) await this.parts.mails.enqueue(tx, changedMail(user));
      await this.#audit(tx, user, client, isInvitation ? 'invitation_accepted' : 'password_reset');
      return { user, ended };
    });
    sessions.ended([user.id, ...ended]);
    return user;
  }

  /** The caller's own. All their other sessions end. @throws LoginRefused, WeakPassword, TooManyAttempts */
  async change({ principal, client }: RequestContext, current: string, next: string): Promise<User> {
    const { orm, attempts, sessions, clock } = this.parts;
    // nobody's but the user's own: not that of a key, nor of a client that acts for them
    const isUser = principal.kind === 'user' && !principal.clientId;
    const user = isUser ? await orm.em.fork().findOne(User, { id: principal.id }, EVERYWHERE) : null;
    if (!user?.passwordHash) throw new LoginRefused();
    await attempts.begin(user.email, client?.ip);
    if (!(await verifyPassword(current, user.passwordHash))) throw new LoginRefused();
    checkPassword(next, user, 'newPassword');
    const passwordHash = await hashPassword(next, this.parts.passwordCost);
    const changed = await orm.em.fork().transactional(async (tx) => {
      const found = await tx.findOneOrFail(User, { id: user.id }, { ...EVERYWHERE, ...LOCKED });
      // somebody chose another one meanwhile
      if (found.passwordHash !== user.passwordHash) throw new LoginRefused();
      Object.assign(found, { passwordHash, updatedAt: clock.now() });
      const ended = await sessions.endAllOf(tx, user.id, 'password changed', principal.sessionId);
      await this.parts.mails.enqueue(tx, changedMail(user));
      await this.#audit(tx, user, client, 'password_changed');
      return { found, ended };
    });
    await attempts.succeeded(user.email, client?.ip);
    sessions.ended(changed.ended);
    return changed.found;
  }

  async #userOf(em: EntityManager, hash: string): Promise<User> {
    const token = await em.findOne(OneTimeToken, { hash, usedAt: null, expiresAt: { $gt: this.parts.clock.now() } });
    const user = token && (await em.findOne(User, { id: token.userId }, EVERYWHERE));
    if (!user || user.status === UserStatus.SUSPENDED) throw new LinkRefused();
    return user;
  }

  #link(tx: EntityManager, { id: userId }: User, purpose: TokenPurpose) {
    const createdAt = this.parts.clock.now();
    const expiresAt = new Date(createdAt.getTime() + LIVES_MS[purpose]);
    const secret = newSecret();
    tx.persist(Object.assign(new OneTimeToken(), { hash: secretDigest(secret), purpose, userId, createdAt, expiresAt }));
    return { authOrigin: this.parts.authOrigin, secret, expiresAt };
  }

  #audit(tx: EntityManager, { id: userId, organizationId }: User, client: ClientInfo | undefined, eventType: string): Promise<void> {
    return this.parts.trail.record({ eventType, userId, organizationId, client, authenticationMethod: 'password' }, tx);
  }
}
