import { Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm, Rows } from '../../../kernel/database/database.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { MfaMethodType } from '../mfa/mfa.states.ts';
import { enrolledTypes } from '../mfa/mfa-method.entity.ts';
import type { Mfa } from '../mfa.ts';
import { ELEVATION_MS } from '../mfa-challenges/challenge-verification.ts';
import { secretDigest } from '../tokens/secret.ts';
import type { User } from '../users/user.entity.ts';
import type { SecondFactorGate, SecondStep } from './second-factor-gate.ts';

export interface MfaGateParts {
  orm: Orm;
  rows: Rows;
  clock: Clock;
  feed: ChangeFeed;
  mfa: Mfa;
}

/**
 * The second-factor step of a sign-in on the authorization server's pages. It uses an ordinary challenge with the same
 * limits. The challenge refers to the sign-in instead of a session.
 */
export class MfaGate implements SecondFactorGate {
  constructor(private readonly parts: MfaGateParts) {}

  /**
   * Returns whether the user has a second factor. If the organization requires one, users without a second factor can
   * still sign in, but must enrol one before they use an operation that needs it.
   */
  async isRequired({ secondFactor }: User): Promise<boolean> {
    return secondFactor;
  }

  async begin(user: User, step: SecondStep): Promise<'sent' | 'own'> {
    await this.parts.mfa.challenges.demand(signingIn(user, step));
    return (await this.#firstMethod(user)) === MfaMethodType.TOTP ? 'own' : 'sent';
  }

  async verify(user: User, code: string, step: SecondStep): Promise<void> {
    const { orm, mfa } = this.parts;
    const principal = signingIn(user, step);
    const { id: challengeId } = await mfa.challenges.open(orm.em.fork(), principal);
    const { client, log, requestId } = step;
    await mfa.verification.verify({ principal, client, log, requestId }, { challengeId, method: await this.#firstMethod(user), code });
  }

  async elevate(grantId: string, userId: string, ageMs: number): Promise<void> {
    const { rows, clock, feed } = this.parts;
    if (ageMs >= ELEVATION_MS) return;
    await rows.query(
      `insert into "identity"."elevation" ("id", "user_id", "until") values ($1, $2, $3)
       on conflict ("id") do update set "until" = excluded."until", "user_id" = excluded."user_id"`,
      [grantId, userId, new Date(clock.now().getTime() + ELEVATION_MS - ageMs)],
    );
    feed.changed(grantId);
  }

  /** Returns the authenticator app if the user has one, otherwise the first method for which a code is sent. */
  async #firstMethod({ id }: User): Promise<MfaMethodType> {
    const { orm, mfa } = this.parts;
    return enrolledTypes(await mfa.challenges.methodsOf(orm.em.fork(), id))[0] ?? MfaMethodType.TOTP;
  }
}

/**
 * Returns a principal for the challenge of a sign-in. The session id of the principal is derived from the sign-in, so
 * that verifying the challenge elevates no other session.
 */
const signingIn = ({ id, organizationId }: User, step: SecondStep): Principal =>
  new Principal({ kind: 'user', id, organizationId, plan: 'developer', grants: [], sessionId: secretDigest(step.id) });
