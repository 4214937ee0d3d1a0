import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { type BackupCodes, digitsOf, isBackupCode } from '../mfa/backup-codes.ts';
import { MfaMethodType } from '../mfa/mfa.states.ts';
import { MfaMethod } from '../mfa/mfa-method.entity.ts';
import { stepOf } from '../mfa/totp.ts';
import type { KnownPlaces } from '../sessions/known-places.ts';
import { User } from '../users/user.entity.ts';
import { MAX_ATTEMPTS, MfaChallenge } from './challenge.entity.ts';
import { ChallengeEnded, CodeRefused } from './challenge.errors.ts';
import type { MfaChallenges } from './challenge.service.ts';
import type { MfaVerification } from './challenge.values.ts';
import type { ChallengeCodes } from './challenge-codes.ts';
import type { ChallengeLimits } from './challenge-limits.ts';

export interface VerificationParts {
  orm: Orm;
  clock: Clock;
  box: SecretBox;
  challenges: MfaChallenges;
  codes: ChallengeCodes;
  limits: ChallengeLimits;
  backupCodes: BackupCodes;
  places: KnownPlaces;
  trail: AuditTrail;
  feed: ChangeFeed;
}

export interface Answer {
  challengeId: string;
  method: MfaMethodType;
  code: string;
}

/** Time for which a session stays elevated after a code was verified. */
export const ELEVATION_MS = 15 * 60_000;
/** Verifies the codes that users enter for challenges (specification 3.6). */
export class Verification {
  constructor(private readonly parts: VerificationParts) {}

  /**
   * Verifies a code and elevates the session for 15 minutes. If the challenge is for a method that is being enrolled,
   * enrols the method.
   * @throws ResourceNotFound, ChallengeEnded, InvalidParameters, CodeRefused, TooManyCodes
   */
  async verify(request: RequestContext, answer: Answer): Promise<MfaVerification> {
    const { orm, challenges, limits, feed } = this.parts;
    const challenge = await challenges.find(request.principal, answer.challengeId);
    challenges.requirePending(challenge);
    const methods = await challenges.methodsFor(orm.em.fork(), challenge);
    const method = methods.find(({ type }) => type === answer.method);
    if (!method) throw new InvalidParameters([{ field: 'method', value: answer.method, reason: reasonFor(methods) }]);
    const attempt = await limits.attempt(challenge.userId, request.client?.ip);
    const attempts = await this.#attempt(challenge);

    const verified = await orm.em.fork().transactional((tx) => this.#accept(tx, request, challenge, method, answer));
    if (!verified) {
      await this.#audit(request, challenge, answer.method, 'wrong code');
      throw new CodeRefused(MAX_ATTEMPTS - attempts);
    }
    await attempt.succeeded();
    for (const id of [challenge.sessionId, challenge.userId]) feed.changed(id);
    return verified;
  }

  /** Counts one of the five attempts of a challenge before the code is checked. @throws ChallengeEnded */
  async #attempt({ id }: MfaChallenge): Promise<number> {
    const { orm, clock } = this.parts;
    const [row] = await orm.em.fork().execute<{ attempts: number }[]>(
      `update "identity"."mfa_challenge" set "attempts" = "attempts" + 1
       where "id" = ? and "attempts" < ? and "verified_at" is null and "expires_at" > ? returning "attempts"`,
      [id, MAX_ATTEMPTS, clock.now()],
    );
    if (!row) throw new ChallengeEnded('failed');
    return row.attempts;
  }

  async #accept(
    tx: EntityManager,
    request: RequestContext,
    challenge: MfaChallenge,
    method: MfaMethod,
    { code }: Answer,
  ): Promise<MfaVerification | undefined> {
    const { backupCodes, clock } = this.parts;
    // locks the user, so that accepting this code and setting up an authenticator app cannot run at the same time
    await tx.findOneOrFail(User, { id: challenge.userId }, { ...EVERYWHERE, ...LOCKED });
    const isBackup = isBackupCode(code) && !challenge.methodId;
    const now = clock.now();
    const isRight = isBackup
      ? await backupCodes.use(tx, challenge.userId, code, now)
      : await this.#isRight(tx, challenge, method, digitsOf(code));
    if (!isRight) return undefined;
    const ended = await tx.nativeUpdate(MfaChallenge, { id: challenge.id, verifiedAt: null }, { verifiedAt: now, codeHash: null });
    // another request has verified the challenge: the rollback makes the code of this request valid again
    if (ended !== 1) throw new ChallengeEnded('verified');
    const made = isBackup ? null : await this.#confirm(tx, method, now);
    const validUntil = new Date(now.getTime() + ELEVATION_MS);
    await this.#elevate(tx, challenge, validUntil);
    await this.parts.places.remember(tx, challenge.userId, request.client, { secondFactor: true });
    await this.#audit(request, challenge, method.type, isBackup ? 'backup code' : null, tx);
    await tx.flush();
    const backupCodesLeft = await backupCodes.left(tx, challenge.userId);
    return {
      challengeId: challenge.id,
      verified: true,
      method: method.type,
      verifiedAt: now,
      validUntil,
      backupCodesLeft,
      backupCodes: made,
    };
  }

  async #isRight(tx: EntityManager, challenge: MfaChallenge, method: MfaMethod, code: string): Promise<boolean> {
    if (method.type !== MfaMethodType.TOTP) return this.parts.codes.isRight(challenge, method.type, code);
    const { box, clock } = this.parts;
    const { id, secret, lastStep } = method;
    const step = secret ? await stepOf(box.open(secret, id), code, clock.now(), lastStep) : undefined;
    if (step === undefined) return false;
    // if two sessions send the same code at the same time, the code is accepted for only one of them
    const where = { id, secret, $or: [{ lastStep: null }, { lastStep: { $lt: step } }] };
    return (await tx.nativeUpdate(MfaMethod, where, { lastStep: step }, EVERYWHERE)) === 1;
  }

  /** Marks the method as confirmed when its first code is accepted. Returns backup codes if the user has none. */
  async #confirm(tx: EntityManager, { id, userId, type, confirmedAt }: MfaMethod, now: Date): Promise<string[] | null> {
    if (confirmedAt) {
      await tx.nativeUpdate(MfaMethod, { id }, { lastUsedAt: now }, EVERYWHERE);
      return null;
    }
    await tx.nativeDelete(MfaMethod, { userId, type, confirmedAt: { $ne: null } }, EVERYWHERE);
    await tx.nativeUpdate(MfaMethod, { id }, { confirmedAt: now, lastUsedAt: now }, EVERYWHERE);
    await tx.nativeUpdate(User, { id: userId, secondFactor: false }, { secondFactor: true }, EVERYWHERE);
    const { backupCodes } = this.parts;
    return (await backupCodes.left(tx, userId)) === 0 ? backupCodes.replace(tx, userId) : null;
  }

  async #elevate(tx: EntityManager, { sessionId, userId }: MfaChallenge, until: Date): Promise<void> {
    await tx.execute(
      `insert into "identity"."elevation" ("id", "user_id", "until") values (?, ?, ?)
         on conflict ("id") do update set "until" = excluded."until", "user_id" = excluded."user_id"`,
      [sessionId, userId, until],
    );
  }

  #audit(
    { client, principal }: RequestContext,
    { userId, organizationId, sessionId }: MfaChallenge,
    method: MfaMethodType,
    reason: string | null,
    tx?: EntityManager,
  ): Promise<void> {
    const eventType = tx ? 'mfa_verified' : 'mfa_failed';
    const { clientId } = principal;
    return this.parts.trail.record(
      { eventType, organizationId, userId, clientId, client, authenticationMethod: 'mfa', tokenType: method, sessionId, reason },
      tx,
    );
  }
}

const reasonFor = (methods: readonly MfaMethod[]): string =>
  methods.length > 0 ? `must be ${methods.map(({ type }) => type).join(' or ')}` : 'is not enrolled: set up a method first';
