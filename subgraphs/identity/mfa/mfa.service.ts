import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { InsufficientPermissions, InvalidParameters, ResourceNotFound } from '../../../kernel/errors/errors.ts';
import type { Mail } from '../../../kernel/messages/mail.ts';
import type { MailQueue } from '../../../kernel/messages/sealed-messages.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { grantsOfUser } from '../granting/user-roles.ts';
import type { MfaChallenges } from '../mfa-challenges/challenge.service.ts';
import type { ChallengeCodes } from '../mfa-challenges/challenge-codes.ts';
import { User } from '../users/user.entity.ts';
import type { BackupCodes } from './backup-codes.ts';
import { NotEnrolled, NoUser, OwnSessionOnly } from './mfa.errors.ts';
import { backupCodesMail, enrolledMail, removedMail } from './mfa.mails.ts';
import { MfaMethodType, type SentMethodType } from './mfa.states.ts';
import type { BackupCodeSet, MfaEnrolment, TotpSetup } from './mfa.values.ts';
import { MfaMethod } from './mfa-method.entity.ts';
import { newTotpSecret, totpSetup } from './totp.ts';

export interface MfaParts {
  orm: Orm;
  clock: Clock;
  box: SecretBox;
  mails: MailQueue;
  trail: AuditTrail;
  feed: ChangeFeed;
  challenges: MfaChallenges;
  codes: ChallengeCodes;
  backupCodes: BackupCodes;
}

/** A user with their current methods. The row of the user is locked, so that the methods can be changed. */
interface Locked {
  user: User;
  methods: MfaMethod[];
}

/**
 * Manages second factors of users (specification 5.7). Users enrol methods themselves. The user or an administrator can
 * remove a method.
 */
export class MfaService {
  constructor(private readonly parts: MfaParts) {}

  /**
   * Lists the methods of the caller, or of another user if the caller may administer credentials. API keys have no
   * methods.
   * @throws ResourceNotFound
   */
  async list({ principal }: RequestContext, userId: string = principal.id): Promise<MfaMethod[]> {
    const { id, organizationId } = principal;
    if (userId !== id && !(principal.may('credentials:admin') && principal.accounts === null)) throw new ResourceNotFound('user', userId);
    const em = this.parts.orm.em.fork();
    if (userId !== id) orNotFound(await em.findOne(User, { id: userId, organizationId }, EVERYWHERE), 'user', userId);
    return this.parts.challenges.methodsOf(em, userId);
  }

  /**
   * Sets up an authenticator app. The next operation that requires a second factor requires a code of the app. Until
   * the first code is accepted, the user can repeat the set-up without a second factor. So a user who loses the secret
   * before the first code is not locked out.
   * @throws NoUser, OwnSessionOnly, SecondFactorRequired
   */
  async setupTotp(request: RequestContext): Promise<TotpSetup> {
    const { box, clock, backupCodes } = this.parts;
    const secret = newTotpSecret();
    const made = await this.#change(request, async (tx, { user, methods }) => {
      const isReplaced = methods.some(({ confirmedAt }) => confirmedAt);
      if (isReplaced) request.principal.requireSecondFactor();
      await tx.nativeDelete(MfaMethod, { userId: user.id, type: MfaMethodType.TOTP }, EVERYWHERE);
      const id = newId('mfaMethod');
      const now = clock.now();
      // if the user has another confirmed factor, the new app is confirmed immediately: its set-up cannot be
      // repeated without a code
      this.#add(tx, user, { id, type: MfaMethodType.TOTP, secret: box.seal(secret, id), confirmedAt: isReplaced ? now : null });
      const codes = await backupCodes.replace(tx, user.id);
      await this.#tell(tx, request, user, 'mfa_enrolled', MfaMethodType.TOTP, enrolledMail(user, MfaMethodType.TOTP));
      return { id, codes, email: user.email };
    });
    return { methodId: made.id, secret, backupCodes: made.codes, ...(await totpSetup(secret, made.email)) };
  }

  /**
   * Sends a code to a phone number or e-mail address. The method is enrolled when the challenge is verified with that code.
   * @throws NoUser, OwnSessionOnly, SecondFactorRequired, InvalidParameters, TooManyCodes
   */
  async setupSent(request: RequestContext, type: SentMethodType, phone?: string | null): Promise<MfaEnrolment> {
    const { orm, challenges, codes } = this.parts;
    const owner = await this.#owner(orm.em.fork(), request);
    const address = type === MfaMethodType.SMS ? (phone ?? owner.phone)?.replace(/[^\d+]/g, '') : owner.email;
    if (!address) throw new InvalidParameters([{ field: 'phone', reason: 'is required, since the user has no phone number' }]);
    return this.#change(request, async (tx, { user, methods }) => {
      if (methods.some(({ confirmedAt }) => confirmedAt)) request.principal.requireSecondFactor();
      await tx.nativeDelete(MfaMethod, { userId: user.id, type, confirmedAt: null }, EVERYWHERE);
      const method = this.#add(tx, user, { id: newId('mfaMethod'), type, address });
      await tx.flush();
      const challenge = await challenges.open(tx, request.principal, method.id);
      await codes.send(tx, challenge, method);
      return { method, challengeId: challenge.id, expiresAt: challenge.expiresAt };
    });
  }

  /** Removes one of the caller's methods and returns its last state. @throws NoUser, OwnSessionOnly, ResourceNotFound */
  async remove(request: RequestContext, id: string): Promise<MfaMethod> {
    if (request.principal.kind !== 'user') throw new ResourceNotFound('mfa_method', id);
    return this.#change(request, async (tx, { user, methods }) => {
      const method = methods.find((one) => one.id === id);
      if (!method) throw new ResourceNotFound('mfa_method', id);
      await tx.nativeDelete(MfaMethod, { id }, EVERYWHERE);
      if (!methods.some((one) => one.id !== id && one.isEnrolled)) await this.parts.backupCodes.clear(tx, user.id);
      await this.#tell(tx, request, user, 'mfa_removed', method.type, method.isEnrolled ? removedMail(user, 'yourself') : undefined);
      return method;
    });
  }

  /**
   * Removes all methods of a user who has lost access to them. Refused if the user has permissions that the caller does
   * not have.
   * @throws ResourceNotFound, InsufficientPermissions
   */
  async removeAllOf(request: RequestContext, userId: string): Promise<User> {
    const { principal } = request;
    const where = { id: userId, organizationId: principal.organizationId };
    const found = orNotFound(await this.parts.orm.em.fork().findOne(User, where, EVERYWHERE), 'user', userId);
    const beyond = grantsOfUser(found).find((grant) => !principal.mayGrant(grant));
    if (beyond) throw new InsufficientPermissions(beyond);
    return this.#changeOf(userId, undefined, async (tx, { user, methods }) => {
      await tx.nativeDelete(MfaMethod, { userId }, EVERYWHERE);
      await this.parts.backupCodes.clear(tx, userId);
      await this.#tell(tx, request, user, 'mfa_reset', null, methods.length > 0 ? removedMail(user, 'an administrator') : undefined);
      return user;
    });
  }

  /** Replaces the caller's ten backup codes. @throws NoUser, OwnSessionOnly, NotEnrolled */
  async renewBackupCodes(request: RequestContext): Promise<BackupCodeSet> {
    return this.#change(request, async (tx, { user, methods }) => {
      if (!methods.some(({ isEnrolled }) => isEnrolled)) throw new NotEnrolled();
      const codes = await this.parts.backupCodes.replace(tx, user.id);
      await this.#tell(tx, request, user, 'mfa_backup_codes_renewed', null, backupCodesMail(user));
      return { backupCodes: codes };
    });
  }

  async #change<R>(request: RequestContext, act: (tx: EntityManager, locked: Locked) => Promise<R>): Promise<R> {
    const { id } = await this.#owner(this.parts.orm.em.fork(), request);
    return this.#changeOf(id, request.principal.sessionId, act);
  }

  /**
   * Locks a user and changes the user's second factors. Afterwards, all sessions of the user except `keptSession` must
   * verify a second factor again (ASVS 7.4.3).
   */
  async #changeOf<R>(userId: string, keptSession: string | undefined, act: (tx: EntityManager, locked: Locked) => Promise<R>): Promise<R> {
    const { orm, feed, challenges } = this.parts;
    const { result, lowered } = await orm.em.fork().transactional(async (tx) => {
      const user = await tx.findOneOrFail(User, { id: userId }, { ...EVERYWHERE, ...LOCKED });
      const result = await act(tx, { user, methods: await challenges.methodsOf(tx, userId) });
      await tx.flush();
      const methods = await challenges.methodsOf(tx.fork({ keepTransactionContext: true }), userId);
      user.secondFactor = methods.some(({ isEnrolled }) => isEnrolled);
      return { result, lowered: await lowerOthers(tx, userId, keptSession) };
    });
    for (const id of [userId, ...lowered]) feed.changed(id);
    return result;
  }

  /** Returns the calling user. Refuses API keys, and clients that act for a user. */
  async #owner(em: EntityManager, { principal }: RequestContext): Promise<User> {
    if (principal.kind !== 'user') throw new NoUser();
    if (principal.clientId || !principal.sessionId?.startsWith('sess_')) throw new OwnSessionOnly();
    return em.findOneOrFail(User, { id: principal.id }, EVERYWHERE);
  }

  #add(tx: EntityManager, { id: userId, organizationId }: User, fields: Pick<MfaMethod, 'id' | 'type'> & Partial<MfaMethod>): MfaMethod {
    const method = Object.assign(new MfaMethod(), { organizationId, userId, createdAt: this.parts.clock.now() }, fields);
    tx.persist(method);
    return method;
  }

  async #tell(
    tx: EntityManager,
    request: RequestContext,
    { id: userId }: User,
    eventType: string,
    tokenType: MfaMethodType | null,
    mail: Mail | undefined,
  ): Promise<void> {
    const { id, sessionId } = request.principal;
    const entry = { eventType, userId, sessionId, authenticationMethod: 'mfa', tokenType, ...(id === userId && { reason: null }) };
    await this.parts.trail.recordBy(request, entry, tx);
    if (mail) await this.parts.mails.enqueue(tx, mail);
  }
}

async function lowerOthers(tx: EntityManager, userId: string, keptSession = ''): Promise<string[]> {
  const lowered = await tx.execute<{ id: string }[]>(
    `delete from "identity"."elevation" where "user_id" = ? and "id" <> ? returning "id"`,
    [userId, keptSession],
  );
  return lowered.map(({ id }) => id);
}
