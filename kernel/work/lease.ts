import { randomUUID } from 'node:crypto';
import type { Rows } from '../database/database.ts';

/** Time for which a process keeps a lease. If the process is killed, another one takes the lease after this time. */
const LEASE_MS = 5000;
/** A lease that ends within this time is prolonged when it is used. */
const RENEW_MS = 2500;
/** Time after which a process asks again for a lease that another one has, or that its own failure has ended. */
const ASK_MS = 1000;

export interface LeaseOptions {
  rows: Rows;
  /** The table of the leases, quoted, with its schema. */
  table: string;
  /** Identifies the work. */
  name: string;
  /** True for an embedded database, which no other process uses: a lease that a killed process has left is void. */
  isAlone: boolean;
}

/**
 * Lets one of several processes do a kind of work. A lease saves work that several processes would do at the same time; it is no lock. A
 * process that is too slow may still be working when another one begins, so the work itself must be safe to repeat.
 */
export class Lease {
  readonly #holder = randomUUID();
  /** Time until which this process has the lease, by `performance.now()`, like the others. */
  #until = 0;
  #asksFrom = 0;
  #tenure = 0;

  constructor(private readonly options: LeaseOptions) {}

  /**
   * Does the work if this process has the lease or can take it; otherwise returns undefined. `task` gets a number that changes when the
   * process has taken the lease, so that it can tell whether others may have worked meanwhile. A failure ends the lease, and the process
   * does not ask for it for a second, because the work may succeed in another process.
   */
  async use<T>(task: (tenure: number) => Promise<T>): Promise<T | undefined> {
    if (!(await this.#hold())) return undefined;
    try {
      return await task(this.#tenure);
    } catch (error) {
      if (!this.options.isAlone) this.#asksFrom = performance.now() + ASK_MS;
      await this.release();
      throw error;
    }
  }

  /**
   * Ends the lease, so that another process need not wait for its end. If the database is unavailable, the lease ends by itself after its
   * time, and nothing is thrown: a process that stops must still stop everything else, and a failure of the work counts more.
   */
  async release(): Promise<void> {
    if (this.#until === 0) return;
    this.#until = 0;
    const { rows, table, name } = this.options;
    await rows.query(`delete from ${table} where "name" = $1 and "holder" = $2`, [name, this.#holder]).catch(() => undefined);
  }

  async #hold(): Promise<boolean> {
    const now = performance.now();
    if (now < this.#until - RENEW_MS) return true;
    if (now < this.#asksFrom) return false;
    const { rows, table, name, isAlone } = this.options;
    const taken = await rows.query(
      `insert into ${table} as l ("name", "holder", "held_until") values ($1, $2, now() + $3::int * interval '1 millisecond')
       on conflict ("name") do update set "holder" = excluded."holder", "held_until" = excluded."held_until"
       where $4::boolean or l."holder" = excluded."holder" or l."held_until" <= now() returning 1`,
      [name, this.#holder, LEASE_MS, isAlone],
    );
    if (taken.length === 0) {
      this.#until = 0;
      this.#asksFrom = now + ASK_MS;
      return false;
    }
    if (now >= this.#until) this.#tenure += 1;
    this.#until = now + LEASE_MS;
    return true;
  }
}
