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
/** ASVS 6.5.5: at most ten minutes. */
export const CODE_LIFE_MS = 600_000;

export interface ChallengeCodesParts {
  clock: Clock;
  mails: MailQueue;
  messages: SmsQueue;
  codeHash: CodeHash;
  limits: ChallengeLimits;
}

/** Codes that are sent: made for one challenge, and of no use for any other. */
export class ChallengeCodes {
  constructor(private readonly parts: ChallengeCodesParts) {}

  /** Sends a new code; the one before works no more. It leaves when the transaction commits. @throws TooManyCodes */
  async send(tx: EntityManager, challenge: MfaChallenge, method: MfaMethod): Promise<void> {
    await this.#send(tx, challenge, method, {});
  }

  /** Only where no code works: of many requests that are refused together one sends it. @throws TooManyCodes */
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
    const text = `${code} is your code. It works once, until ${until.toISOString().slice(11, 16)} UTC. Nobody of us will ever ask you for it.`;
    if (type === MfaMethodType.SMS) return this.parts.messages.enqueue(tx, { to, text }, { until });
    // the code stands in the text alone: subjects are shown on locked screens
    const mail = { to, subject: 'Your code', text: `${text}\n\nIf you did not ask for it, somebody knows your password: change it.\n` };
    return this.parts.mails.enqueue(tx, mail);
  }
}
