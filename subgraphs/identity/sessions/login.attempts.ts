import { hash } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database.ts';
import { TooManyAttempts } from './session.errors.ts';

const WINDOW_MS = 15 * 60_000;
/** From one place for one address: what a forgetful person needs. */
const PER_PLACE = 5;
/** For one address from everywhere: high enough that nobody is locked out by one who wants to. */
const PER_ADDRESS = 50;

/**
 * Counts attempts to guess something that belongs to somebody. Attempts are counted before they are looked at, in one
 * statement: of many at once no more than the limit are. Kept by hash, also for addresses that nobody has.
 */
export class LoginAttempts {
  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
  ) {}

  /** @throws TooManyAttempts */
  async begin(email: string, ip: string | undefined): Promise<void> {
    await this.#count(keyOf('place', email, ip ?? ''), PER_PLACE);
    await this.#count(keyOf('address', email), PER_ADDRESS);
  }

  /** It was right: what was counted is forgotten. */
  async succeeded(email: string, ip: string | undefined): Promise<void> {
    await this.#execute(`delete from "identity"."login_attempt" where "key" in (?, ?)`, [
      keyOf('place', email, ip ?? ''),
      keyOf('address', email),
    ]);
  }

  async purge(): Promise<void> {
    await this.#execute(`delete from "identity"."login_attempt" where "first_at" < ?`, [this.#windowStart()]);
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

const keyOf = (...parts: string[]): string => hash('sha256', parts.join('\0'), 'hex');
