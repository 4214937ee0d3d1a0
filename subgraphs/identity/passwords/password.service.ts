import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { IsSuspended } from '../../../kernel/domain.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { MailQueue } from '../../../kernel/messages/sealed-messages.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED, onDuplicate } from '../../../kernel/records/records.ts';
import type { ClientInfo, RequestContext } from '../../../kernel/request.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { storedForms } from '../../../kernel/values/email.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { Organization } from '../organizations/organization.entity.ts';
import type { KnownPlaces } from '../sessions/known-places.ts';
import type { LoginAttempts } from '../sessions/login-attempts.ts';
import { LoginRefused } from '../sessions/session.errors.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { newSecret, secretDigest } from '../tokens/secret.ts';
import { UserStatus } from '../user.states.ts';
import { hashPassword, type PasswordCost, verifyPassword } from '../users/password.ts';
import { User } from '../users/user.entity.ts';
import { claimLogin, holderOf } from '../users/user-login-name.ts';
import { OneTimeToken, TokenPurpose } from './one-time-token.entity.ts';
import { LinkRefused } from './password.errors.ts';
import { addressInUseMail, changedMail, invitationMail, resetMail } from './password.mails.ts';
import { checkPassword } from './password.rules.ts';

export interface PasswordParts {
  orm: Orm;
  clock: Clock;
  mails: MailQueue;
  sessions: Sessions;
  attempts: LoginAttempts;
  places: KnownPlaces;
  trail: AuditTrail;
  jobs: Jobs;
  log: Logger;
  isSuspended: IsSuspended | undefined;
  /** Public origin of the pages that the links in mails open. */
  authOrigin: string;
  passwordCost: PasswordCost | undefined;
}

const RESET_QUEUE = 'identity.password-reset';
const INVITATION_QUEUE = 'identity.invitation';

const LIVES_MS: Readonly<Record<TokenPurpose, number>> = {
  [TokenPurpose.INVITATION]: 7 * 24 * HOUR_MS,
  [TokenPurpose.PASSWORD_RESET]: HOUR_MS,
};
/** Maximum number of links that are mailed to a user per hour, over all requests. */
const MAILS_PER_HOUR = 6;

interface InvitationJob {
  userId: string;
  /** Organization of the user. The job waits while this organization is suspended. */
  organizationId: string;
}

interface ResetRequest {
  email: string;
  client: ClientInfo | undefined;
}

/**
 * Manages passwords of users. A user chooses a password through a mailed link, or changes it with the current password.
 */
export class PasswordService {
  constructor(private readonly parts: PasswordParts) {
    parts.jobs.define<ResetRequest>(RESET_QUEUE, (request) => this.#sendReset(request));
    // the lifetime of the link begins when the mail is sent, so the job may wait
    parts.jobs.define<InvitationJob>(INVITATION_QUEUE, ({ userId }) => this.#sendInvitation(userId), { waits: parts.isSuspended });
  }

  /**
   * Enqueues an invitation. The job checks whether the address is in use, so that the response time does not reveal the
   * result to the caller.
   */
  invite(tx: EntityManager, { id: userId, organizationId }: User): Promise<void> {
    return this.parts.jobs.enqueue(tx, INVITATION_QUEUE, { userId, organizationId } satisfies InvitationJob);
  }

  async #sendInvitation(id: string): Promise<void> {
    const { orm, attempts, log } = this.parts;
    const known = await orm.em.fork().findOne(User, { id, status: UserStatus.INVITED }, EVERYWHERE);
    if (!known) return;
    if (await attempts.mayMailInvitation(known.email)) return orm.em.fork().transactional((tx) => this.#mailInvitation(tx, id));
    log.warn({ user: id }, 'An invitation is not mailed: too many were sent to its address');
  }

  /**
   * Mails an invited user the link to choose a password. If another user already logs in with the invited address, that
   * user instead gets a mail without a link, which says that the invitation cannot be accepted.
   */
  async #mailInvitation(tx: EntityManager, id: string): Promise<void> {
    const user = await tx.findOne(User, { id, status: UserStatus.INVITED }, { ...EVERYWHERE, ...LOCKED });
    if (!user || !(await this.#mayMailLink(tx, user))) return;
    const { name } = await tx.findOneOrFail(Organization, { id: user.organizationId });
    const link = this.#link(tx, user, TokenPurpose.INVITATION);
    const holder = await holderOf(tx, user.email);
    await this.parts.mails.enqueue(tx, holder ? addressInUseMail(holder, name, link) : invitationMail(user, name, link));
  }

  async #mayMailLink(tx: EntityManager, { id: userId }: User): Promise<boolean> {
    const hourAgo = new Date(this.parts.clock.now().getTime() - HOUR_MS);
    return (await tx.count(OneTimeToken, { userId, createdAt: { $gt: hourAgo } })) < MAILS_PER_HOUR;
  }

  /**
   * Enqueues a password reset. The job looks up the user, so that the response time does not reveal whether the user
   * exists.
   * @throws TooManyAttempts
   */
  async requestReset(typed: string, client: ClientInfo | undefined): Promise<void> {
    const [email = ''] = storedForms(typed);
    await this.parts.attempts.beginReset(email, client?.ip);
    await this.parts.orm.em
      .fork()
      .transactional((tx) => this.parts.jobs.enqueue(tx, RESET_QUEUE, { email, client } satisfies ResetRequest));
  }

  async #sendReset({ email, client }: ResetRequest): Promise<void> {
    await this.parts.orm.em.fork().transactional(async (tx) => {
      const user = await holderOf(tx, email, LOCKED);
      if (!user) return this.#inviteAgain(tx, email);
      if (user.status === UserStatus.SUSPENDED || !(await this.#mayMailLink(tx, user))) return;
      await this.parts.mails.enqueue(tx, resetMail(user, this.#link(tx, user, TokenPurpose.PASSWORD_RESET)));
      await this.#audit(tx, user, client, 'password_reset_requested');
    });
  }

  /**
   * Sends pending invitations to an address again, for users who have lost the mail. Several accounts may have invited
   * the address.
   */
  async #inviteAgain(tx: EntityManager, email: string): Promise<void> {
    const waiting = { email: { $in: storedForms(email) }, status: UserStatus.INVITED };
    const invited = await tx.find(User, waiting, { ...EVERYWHERE, orderBy: { createdAt: 'desc' }, limit: MAILS_PER_HOUR });
    for (const { id } of invited) await this.#mailInvitation(tx, id);
  }

  /** Checks that a link is still valid. The check does not mark the link as used. @throws LinkRefused */
  async checkLink(secret: string): Promise<void> {
    await this.#userOf(this.parts.orm.em.fork(), secretDigest(secret));
  }

  /** Sets the password of the link's user and revokes all sessions of the user. @throws LinkRefused, WeakPassword */
  async choose(secret: string, password: string, client: ClientInfo | undefined): Promise<User> {
    const { orm, clock, sessions } = this.parts;
    const hash = secretDigest(secret);
    const known = await this.#userOf(orm.em.fork(), hash);
    checkPassword(password, known);
    const passwordHash = await hashPassword(password, this.parts.passwordCost);
    const choosing = orm.em.fork().transactional(async (tx) => {
      // locks the user first, so that a concurrent login or a second use of the link waits
      const user = await tx.findOne(User, { id: known.id }, { ...EVERYWHERE, ...LOCKED });
      if (!user || user.status === UserStatus.SUSPENDED) throw new LinkRefused();
      const token = await tx.findOne(OneTimeToken, { hash }, LOCKED);
      if (!token || token.usedAt) throw new LinkRefused();
      await tx.nativeUpdate(OneTimeToken, { userId: user.id, usedAt: null }, { usedAt: clock.now() });
      const isInvitation = user.status === UserStatus.INVITED;
      if (isInvitation && !(await claimLogin(tx, user))) throw new LinkRefused();
      Object.assign(user, { passwordHash, status: UserStatus.ACTIVE, updatedAt: clock.now() });
      const ended = await sessions.endAllOf(tx, user.id, 'password chosen');
      // the user can read the mailbox, so this place is trusted: failed logins by others do not lock the user out at
      // this place
      await this.parts.places.remember(tx, user.id, client, { secondFactor: false });
      if (!isInvitation) await this.parts.mails.enqueue(tx, changedMail(user));
      await this.#audit(tx, user, client, isInvitation ? 'invitation_accepted' : 'password_reset');
      return { user, ended };
    });
    // if two invitations for one address are accepted at the same time, only one succeeds
    const { user, ended } = await choosing.catch(onDuplicate(() => new LinkRefused()));
    sessions.ended([user.id, ...ended]);
    return user;
  }

  /**
   * Changes the caller's password and revokes all other sessions of the caller.
   * @throws LoginRefused, WeakPassword, TooManyAttempts
   */
  async change({ principal, client }: RequestContext, current: string, next: string): Promise<User> {
    const { orm, attempts, sessions, clock } = this.parts;
    // only users in their own session may change their password: not API keys, and not clients that act for a user
    const isUser = principal.kind === 'user' && !principal.clientId;
    const user = isUser ? await orm.em.fork().findOne(User, { id: principal.id }, EVERYWHERE) : null;
    if (!user?.passwordHash) throw new LoginRefused();
    const attempt = await attempts.beginInSession(principal.sessionId ?? user.id);
    if (!(await verifyPassword(current, user.passwordHash))) throw new LoginRefused();
    checkPassword(next, user, 'newPassword');
    const passwordHash = await hashPassword(next, this.parts.passwordCost);
    const changed = await orm.em.fork().transactional(async (tx) => {
      const found = await tx.findOneOrFail(User, { id: user.id }, { ...EVERYWHERE, ...LOCKED });
      // another request has changed the password after it was verified
      if (found.passwordHash !== user.passwordHash) throw new LoginRefused();
      Object.assign(found, { passwordHash, updatedAt: clock.now() });
      const ended = await sessions.endAllOf(tx, user.id, 'password changed', principal.sessionId);
      await this.parts.mails.enqueue(tx, changedMail(user));
      await this.#audit(tx, user, client, 'password_changed');
      return { found, ended };
    });
    await attempt.succeeded();
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
