import { hash } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { networkOf } from '../../../kernel/outbound/network.ts';
import type { KnownPlaces } from './known-places.ts';
import { TooManyAttempts } from './session.errors.ts';

const WINDOW_MS = 15 * 60_000;
/** Attempts that were first made longer ago are not counted any more. */
export const ATTEMPTS_KEPT_MS = WINDOW_MS;
/** From one place for one address: what a forgetful person needs. */
const PER_PLACE = 5;
/** For one address from all places that are new to its user. */
const PER_ADDRESS = 50;

/**
 * Counts attempts to guess something that belongs to somebody. Attempts are counted before they are looked at, in one
 * statement: of many at once no more than the limit are. Kept by hash, also for addresses that nobody has.
 */
export class LoginAttempts {
  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
    private readonly places: KnownPlaces,
  ) {}

  /**
   * Counts a sign-in. A place from which the user has signed in before has its own limit alone: strangers, who use up that of the
   * address, do not lock users out where they are at home.
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
        // what others got wrong stays counted, or each sign-in of the user would give them further guesses
        if (!isKnown) await this.#execute(`update "identity"."login_attempt" set "failures" = "failures" - 1 where "key" = ?`, [address]);
      },
    };
  }

  /** Counts a request to reset a password. How many mails come of it is limited where they are sent. @throws TooManyAttempts */
  async beginReset(email: string, ip: string | undefined): Promise<void> {
    await this.#count(keyOf('place', `reset:${email}`, networkOf(ip ?? '')), PER_PLACE);
  }

  /** Counts a mail to an address that an organization invites. False where there were so many that it must not leave. */
  async mayMailInvitation(email: string): Promise<boolean> {
    return this.#count(keyOf('invitation', email), PER_PLACE).then(
      () => true,
      (error: unknown) => {
        if (error instanceof TooManyAttempts) return false;
        throw error;
      },
    );
  }

  /** Counts a present password that is typed in a session. Nobody outside of that session uses up its attempts. @throws TooManyAttempts */
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

/** An attempt that was counted. */
export interface SignInAttempt {
  /** It was right: it counts no longer. */
  succeeded(): Promise<void>;
}

const keyOf = (...parts: string[]): string => hash('sha256', parts.join('\0'), 'hex');
