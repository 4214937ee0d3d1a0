import { hash } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { networkOf } from '../../../kernel/outbound/network.ts';
import type { KnownPlaces } from '../sessions/known-places.ts';
import { TooManyCodes } from './challenge.errors.ts';

const WINDOW_MS = 3_600_000;
/**
 * Maximum number of wrong codes of a user per hour. Each network from which the user has verified a code has this limit
 * for itself. A new challenge does not reset the count. At most three of the million possible codes are valid at the same
 * time.
 */
const ATTEMPTS = 15;
/**
 * Maximum number of codes per hour that are sent to one user, and also to one phone number or e-mail address. Each code
 * costs money, and annoys a recipient who did not request it.
 */
const SENDS = 6;

/**
 * Hourly limits per user. One statement counts an attempt before its code is checked, so that concurrent attempts
 * cannot exceed the limit.
 */
export class ChallengeLimits {
  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
    private readonly places: KnownPlaces,
  ) {}

  /**
   * Counts an attempt. Each network from which the user has verified a code before has its own counter. So somebody
   * else who knows the password cannot use up the user's attempts from these networks.
   * @throws TooManyCodes
   */
  async attempt(userId: string, ip: string | undefined): Promise<CodeAttempt> {
    const isAtHome = await this.places.isVerified(userId, ip);
    const key = isAtHome ? `attempts:${userId}:${hash('sha256', networkOf(ip ?? ''), 'hex')}` : `attempts:${userId}`;
    await this.#count(this.orm.em.fork(), key, ATTEMPTS, 'mfa_attempts');
    return {
      succeeded: async () => {
        const em = this.orm.em.fork();
        await em.execute(`update "identity"."mfa_counter" set "count" = greatest("count" - 1, 0) where "key" = ?`, [key]);
      },
    };
  }

  /** Counts a sent code, in the transaction that sends it. @throws TooManyCodes */
  async send(tx: EntityManager, userId: string, address: string): Promise<void> {
    await this.#count(tx, `sends:${userId}`, SENDS, 'mfa_sends');
    await this.#count(tx, `sends-to:${hash('sha256', address, 'hex')}`, SENDS, 'mfa_sends');
  }

  async #count(em: EntityManager, key: string, limit: number, window: 'mfa_attempts' | 'mfa_sends'): Promise<void> {
    const now = this.clock.now();
    const start = new Date(now.getTime() - WINDOW_MS);
    const [row] = await em.execute<{ count: number; first_at: Date | string }[]>(
      `insert into "identity"."mfa_counter" as c ("key", "count", "first_at") values (?, 1, ?)
       on conflict ("key") do update set
         "count" = case when c."first_at" < ? then 1 else c."count" + 1 end,
         "first_at" = case when c."first_at" < ? then excluded."first_at" else c."first_at" end
       returning "count", "first_at"`,
      [key, now, start, start],
    );
    if (!row || row.count <= limit) return;
    throw new TooManyCodes(window, limit, row.count, new Date(new Date(row.first_at).getTime() + WINDOW_MS), now);
  }
}

/** An attempt that was counted before its code was checked. */
export interface CodeAttempt {
  /** Removes this attempt from the counter, because its code was right. Wrong attempts stay counted. */
  succeeded(): Promise<void>;
}
