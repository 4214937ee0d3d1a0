import { hash } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { networkOf } from '../../../kernel/outbound/network.ts';
import type { KnownPlaces } from './known-places.ts';
import { TooManyAttempts } from './session.errors.ts';

const WINDOW_MS = 15 * 60_000;
/** Age after which counters of attempts are ignored. */
export const ATTEMPTS_KEPT_MS = WINDOW_MS;
/**
 * Maximum attempts for one e-mail address from one place (IP network). It is enough for users who try several of their
 * passwords.
 */
const PER_PLACE = 5;
/** Maximum attempts for one e-mail address from all places where the user of the address has never signed in. */
const PER_ADDRESS = 50;

/**
 * Limits attempts to guess passwords. One statement counts an attempt before the password is checked, so that
 * concurrent attempts cannot exceed the limit. The keys of counters are hashes. Unknown e-mail addresses have counters
 * too.
 */
export class LoginAttempts {
  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
    private readonly places: KnownPlaces,
  ) {}

  /**
   * Counts a sign-in attempt. At a place where the user has signed in before, only the limit of the place applies. So
   * attackers who use up the limit of the e-mail address do not lock users out at their usual places.
   * @throws TooManyAttempts
   */
  async begin(email: string, ip: string | undefined): Promise<SignInAttempt> {
    const place = keyOf('place', email, networkOf(ip ?? ''));
    const address = keyOf('address', email);
    await this.#count(place, PER_PLACE);
    const isKnown = await this.places.isKnown(email, ip);
    if (!isKnown) await this.#count(address, PER_ADDRESS);
    return {
      succeeded: async () => {
        await this.#execute(`delete from "identity"."login_attempt" where "key" = ?`, [place]);
        // removes only this attempt: if failures of others were removed too, each sign-in of the user would give
        // attackers new attempts
        if (!isKnown) await this.#execute(`update "identity"."login_attempt" set "failures" = "failures" - 1 where "key" = ?`, [address]);
      },
    };
  }

  /** Counts a password reset request. PasswordService limits the number of mails separately. @throws TooManyAttempts */
  async beginReset(email: string, ip: string | undefined): Promise<void> {
    await this.#count(keyOf('place', `reset:${email}`, networkOf(ip ?? '')), PER_PLACE);
  }

  /** Counts an invitation mail to an e-mail address. Returns false if the limit is reached and the mail must not be sent. */
  async mayMailInvitation(email: string): Promise<boolean> {
    return this.#count(keyOf('invitation', email), PER_PLACE).then(
      () => true,
      (error: unknown) => {
        if (error instanceof TooManyAttempts) return false;
        throw error;
      },
    );
  }

  /** Counts a check of the current password in a session. Each session has its own limit. @throws TooManyAttempts */
  async beginInSession(sessionId: string): Promise<SignInAttempt> {
    const key = keyOf('session', sessionId);
    await this.#count(key, PER_PLACE);
    return { succeeded: async () => void (await this.#execute(`delete from "identity"."login_attempt" where "key" = ?`, [key])) };
  }

  async #count(key: string, limit: number): Promise<void> {
    const now = this.clock.now();
    const [row] = await this.#execute<{ failures: number; first_at: Date | string }>(
      `insert into "identity"."login_attempt" as a ("key", "failures", "first_at") values (?, 1, ?)
       on conflict ("key") do update set
         "failures" = case when a."first_at" < ? then 1 else a."failures" + 1 end,
         "first_at" = case when a."first_at" < ? then excluded."first_at" else a."first_at" end
       returning "failures", "first_at"`,
      [key, now, this.#windowStart(), this.#windowStart()],
    );
    if (!row || row.failures <= limit) return;
    throw new TooManyAttempts(limit, row.failures, new Date(new Date(row.first_at).getTime() + WINDOW_MS), now);
  }

  #windowStart(): Date {
    return new Date(this.clock.now().getTime() - WINDOW_MS);
  }

  #execute<R>(sql: string, values: unknown[]): Promise<R[]> {
    return this.orm.em.fork().getConnection().execute<R[]>(sql, values, 'all');
  }
}

/** A sign-in attempt that was counted before the password was checked. */
export interface SignInAttempt {
  /**
   * Resets the counters after a sign-in with the right password. Resets the counter of the place or session. If the attempt was also
   * counted for the e-mail address, removes only this attempt from that counter.
   */
  succeeded(): Promise<void>;
}

const keyOf = (...parts: string[]): string => hash('sha256', parts.join('\0'), 'hex');
