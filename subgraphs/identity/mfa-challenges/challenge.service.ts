import type { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { type ErrorDetails, InvalidParameters } from '../../../kernel/errors/errors.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { NoUser } from '../mfa/mfa.errors.ts';
import { METHOD_TYPES, MfaMethodType } from '../mfa/mfa.states.ts';
import { enrolledTypes, MfaMethod } from '../mfa/mfa-method.entity.ts';
import { MAX_ATTEMPTS, MfaChallenge } from './challenge.entity.ts';
import { ChallengeEnded, TooManyCodes } from './challenge.errors.ts';
import type { PendingChallenge } from './challenge.values.ts';
import { type ChallengeCodes, CODE_LIFE_MS } from './challenge-codes.ts';

export interface ChallengeParts {
  orm: Orm;
  clock: Clock;
  codes: ChallengeCodes;
}

/** Additions to the error of a refused request: `details`, and another message if the user must enrol a method first. */
export interface Demand {
  details: ErrorDetails;
  message?: string;
}

const LIFE_MS = CODE_LIFE_MS;
const ENROL_FIRST =
  'This needs a second factor. Enrol one (POST /v1/auth/mfa/totp/setup, in GraphQL setupTotp), then verify the challenge (POST /v1/auth/mfa/verify, in GraphQL verifyMfaChallenge) and repeat the request.';

/** Creates challenges for a second factor, describes them in errors, and sends codes for them (specification 2.4, 3.6). */
export class MfaChallenges {
  constructor(private readonly parts: ChallengeParts) {}

  /**
   * Returns the challenge for a refused request. Repeating the request returns the same challenge and sends no further code.
   * A code is sent automatically only if the user has no authenticator app and no valid code.
   */
  async demand(principal: Principal): Promise<Demand> {
    if (principal.kind !== 'user' || !principal.sessionId) return { details: {} };
    const em = this.parts.orm.em.fork();
    const methods = await this.methodsOf(em, principal.id);
    const types = enrolledTypes(methods);
    const challenge = await this.open(em, principal);
    if (types[0] && types[0] !== MfaMethodType.TOTP) await this.#sendFirst(challenge, methods);
    const details = { challenge_id: challenge.id, methods: types.length > 0 ? types : METHOD_TYPES };
    return types.length > 0 ? { details } : { details, message: ENROL_FIRST };
  }

  /**
   * Returns the pending challenge of the session or creates one. So a user can verify a second factor before an
   * operation requires it.
   * @throws NoUser
   */
  async create(principal: Principal): Promise<PendingChallenge> {
    if (principal.kind !== 'user' || !principal.sessionId) throw new NoUser();
    const em = this.parts.orm.em.fork();
    const challenge = await this.open(em, principal);
    return this.#shown(challenge, await this.methodsFor(em, challenge));
  }

  /** Sends a code for a pending challenge. @throws ResourceNotFound, ChallengeEnded, InvalidParameters, TooManyCodes */
  async send(principal: Principal, id: string, type: MfaMethodType): Promise<PendingChallenge> {
    const { orm, codes } = this.parts;
    const challenge = await this.find(principal, id);
    this.requirePending(challenge);
    const methods = await this.methodsFor(orm.em.fork(), challenge);
    const method = methods.find((one) => one.type === type);
    const sent = methods.map((one) => one.type).filter((one) => one !== MfaMethodType.TOTP);
    if (!method?.address) throw new InvalidParameters([{ field: 'method', value: type, reason: reasonFor(sent) }]);
    await orm.em.fork().transactional((tx) => codes.send(tx, challenge, method));
    return this.#shown(challenge, methods);
  }

  /** Finds a challenge of the caller's session. Any other challenge is treated as absent. @throws ResourceNotFound */
  async find({ kind, id: userId, sessionId }: Principal, id: string): Promise<MfaChallenge> {
    const where = { id, userId, sessionId: sessionId ?? '' };
    const challenge = kind === 'user' ? await this.parts.orm.em.fork().findOne(MfaChallenge, where) : null;
    return orNotFound(challenge, 'mfa_challenge', id);
  }

  /**
   * Checks that a challenge is pending.
   * @throws ChallengeEnded if the challenge is verified, expired or out of attempts
   */
  requirePending({ verifiedAt, attempts, expiresAt }: MfaChallenge): void {
    if (verifiedAt) throw new ChallengeEnded('verified');
    if (attempts >= MAX_ATTEMPTS) throw new ChallengeEnded('failed');
    if (expiresAt <= this.parts.clock.now()) throw new ChallengeEnded('expired');
  }

  methodsOf(em: EntityManager, userId: string): Promise<MfaMethod[]> {
    return em.find(MfaMethod, { userId }, { ...EVERYWHERE, orderBy: { createdAt: 'asc', id: 'asc' } });
  }

  /**
   * Returns the methods that can verify a challenge: the user's enrolled methods, or only the method that the challenge
   * enrols.
   */
  async methodsFor(em: EntityManager, { userId, methodId }: MfaChallenge): Promise<MfaMethod[]> {
    const methods = await this.methodsOf(em, userId);
    return methods.filter((method) => (methodId ? method.id === methodId : method.isEnrolled));
  }

  /** Returns the pending challenge of the session, or of the method that is being enrolled. Creates a challenge if there is none. */
  async open(em: EntityManager, { id: userId, organizationId, sessionId = '' }: Principal, methodId?: string): Promise<MfaChallenge> {
    const now = this.parts.clock.now();
    const subjectId = methodId ?? sessionId;
    await em.execute(
      `delete from "identity"."mfa_challenge" where "expires_at" < ?
         or ("subject_id" = ? and ("verified_at" is not null or "attempts" >= ? or "expires_at" <= ?))`,
      [new Date(now.getTime() - DAY_MS), subjectId, MAX_ATTEMPTS, now],
    );
    const [row] = await em.execute<object[]>(
      `insert into "identity"."mfa_challenge"
         ("id", "organization_id", "user_id", "session_id", "method_id", "subject_id", "created_at", "expires_at")
       values (?, ?, ?, ?, ?, ?, ?, ?)
       on conflict ("subject_id") do update set "expires_at" = excluded."expires_at" returning *`,
      [newId('mfaChallenge'), organizationId, userId, sessionId, methodId ?? null, subjectId, now, new Date(now.getTime() + LIFE_MS)],
    );
    return em.map(MfaChallenge, row as never);
  }

  /**
   * Sends the first code of a challenge. If the limit of sent codes is reached, nothing is sent and no error is thrown.
   */
  async #sendFirst(challenge: MfaChallenge, methods: readonly MfaMethod[]): Promise<void> {
    const { orm, clock, codes } = this.parts;
    const [first] = enrolledTypes(methods);
    const method = methods.find(({ type, isEnrolled }) => type === first && isEnrolled);
    if (!method || challenge.hasCode(clock.now())) return;
    try {
      await orm.em.fork().transactional((tx) => codes.sendFirst(tx, challenge, method));
    } catch (error) {
      if (!(error instanceof TooManyCodes)) throw error;
    }
  }

  #shown({ id, codeMethod, expiresAt }: MfaChallenge, methods: readonly MfaMethod[]): PendingChallenge {
    const types = METHOD_TYPES.filter((type) => methods.some((method) => method.type === type));
    const sentBy = methods.find(({ type }) => type === codeMethod);
    return { id, methods: [...(types.length > 0 ? types : METHOD_TYPES)], codeSentTo: sentBy?.destination ?? null, expiresAt };
  }
}

const reasonFor = (types: readonly MfaMethodType[]): string =>
  types.length > 0
    ? `must be ${types.join(' or ')}`
    : 'is not enrolled: codes are sent by SMS or e-mail only, and an authenticator app generates its own';
