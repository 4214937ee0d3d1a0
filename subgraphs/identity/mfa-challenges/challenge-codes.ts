import type { FilterQuery } from '@mikro-orm/core';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { MailQueue, SmsQueue } from '../../../kernel/messages/sealed-messages.ts';
import { digits } from '../mfa/backup-codes.ts';
import type { CodeHash } from '../mfa/code-hash.ts';
import { MfaMethodType } from '../mfa/mfa.states.ts';
import type { MfaMethod } from '../mfa/mfa-method.entity.ts';
import { MfaChallenge } from './challenge.entity.ts';
import type { ChallengeLimits } from './challenge-limits.ts';

const DIGITS = 6;
/** Lifetime of a sent code. ASVS 6.5.5 allows at most ten minutes. */
export const CODE_LIFE_MS = 600_000;

export interface ChallengeCodesParts {
  clock: Clock;
  mails: MailQueue;
  messages: SmsQueue;
  codeHash: CodeHash;
  limits: ChallengeLimits;
}

/** Creates and sends codes by SMS and e-mail. Each code is valid for one challenge only. */
export class ChallengeCodes {
  constructor(private readonly parts: ChallengeCodesParts) {}

  /** Sends a new code when the transaction commits. The previous code stops working. @throws TooManyCodes */
  async send(tx: EntityManager, challenge: MfaChallenge, method: MfaMethod): Promise<void> {
    await this.#send(tx, challenge, method, {});
  }

  /**
   * Sends a code only if the challenge has no valid code. So the user gets only one code if several requests need a
   * second factor at the same time.
   * @throws TooManyCodes
   */
  async sendFirst(tx: EntityManager, challenge: MfaChallenge, method: MfaMethod): Promise<void> {
    await this.#send(tx, challenge, method, { $or: [{ codeExpiresAt: null }, { codeExpiresAt: { $lte: this.parts.clock.now() } }] });
  }

  async #send(
    tx: EntityManager,
    challenge: MfaChallenge,
    { type, address }: MfaMethod,
    condition: FilterQuery<MfaChallenge>,
  ): Promise<void> {
    const { clock, codeHash, limits } = this.parts;
    const code = digits(DIGITS);
    const until = new Date(clock.now().getTime() + CODE_LIFE_MS);
    const sent = { codeMethod: type, codeHash: codeHash.of('challenge', challenge.id, code), codeExpiresAt: until, expiresAt: until };
    if (!address || (await tx.nativeUpdate(MfaChallenge, { $and: [{ id: challenge.id }, condition] }, sent)) === 0) return;
    await limits.send(tx, challenge.userId, address);
    Object.assign(challenge, sent);
    await this.#enqueue(tx, type, address, code, until);
  }

  isRight(challenge: MfaChallenge, type: MfaMethodType, code: string): boolean {
    const { clock, codeHash } = this.parts;
    if (challenge.codeMethod !== type || challenge.codeHash === null || !challenge.hasCode(clock.now())) return false;
    return codeHash.isSame(challenge.codeHash, codeHash.of('challenge', challenge.id, code));
  }

  async #enqueue(tx: EntityManager, type: MfaMethodType, to: string, code: string, until: Date): Promise<void> {
    const text = `${code} is your code. It works once, until ${until.toISOString().slice(11, 16)} UTC. We will never ask you for it.`;
    if (type === MfaMethodType.SMS) return this.parts.messages.enqueue(tx, { to, text }, { until });
    // the subject does not contain the code: subjects are shown on lock screens
    const mail = {
      to,
      subject: 'Your code',
      text: `${text}\n\nIf you did not request this code, somebody else knows your password: change it.\n`,
    };
    return this.parts.mails.enqueue(tx, mail);
  }
}
