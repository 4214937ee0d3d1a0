import type { EntityManager, Orm } from '../database/database.ts';
import { DAY_MS, dayStart, HOUR_MS, monthStart } from '../values/days.ts';

/**
 * Lock timeout for attaching a partition. Only maintenance of the table can block the attaching; readers and writers
 * cannot. After a timeout, the writer retries.
 */
const ATTACH_WAIT_MS = 2_000;
/**
 * Lock timeout for dropping a partition. The timeout is short: dropping waits for current readers, and meanwhile new
 * readers must wait too.
 */
const DROP_WAIT_MS = 50;

/** Length of partitions, with the functions that calculate their boundaries. */
export interface PartitionPeriod {
  /** Returns the start of the partition that contains a time. */
  startOf(time: Date): Date;
  /** Returns the start of the next partition. */
  after(start: Date): Date;
  /** Number of digits of the start time in the name of a partition: 6 for a month, 8 for a day, 10 for an hour. */
  digits: 6 | 8 | 10;
}

const plus = (ms: number) => (start: Date) => new Date(start.getTime() + ms);

const QUARTER_DAY_MS = 6 * HOUR_MS;

/** Lengths of partitions. All partitions begin and end in UTC. */
export const PERIODS = {
  month: { startOf: (time) => monthStart(time), after: (start) => monthStart(start, 1), digits: 6 },
  day: { startOf: (time) => dayStart(time), after: plus(DAY_MS), digits: 8 },
  quarterDay: {
    startOf: (time) => new Date(Math.floor(time.getTime() / QUARTER_DAY_MS) * QUARTER_DAY_MS),
    after: plus(QUARTER_DAY_MS),
    digits: 10,
  },
} satisfies Record<string, PartitionPeriod>;

export interface TimePartitionsOptions {
  orm: Orm;
  /** Partitioned table in the domain's schema, such as `event_log`. */
  table: string;
  /** Number of the advisory lock that is held while partitions are created or dropped. */
  lock: number;
  /**
   * SQL condition for rows that must not be deleted yet, for example because they have not been read. A partition that contains a row to
   * keep is not dropped. Default: every partition may be dropped.
   */
  isNeeded?: string;
  /** Length of a partition. */
  period: PartitionPeriod;
}

/**
 * The partitions of a table: one for each period that has rows, such as `event_log_20260131` for a day. Old rows are
 * deleted by dropping whole partitions.
 */
export class TimePartitions {
  readonly #options: TimePartitionsOptions;
  readonly #schema: string;
  /** Names of the partitions that this process has created or found. */
  readonly #known = new Set<string>();

  constructor(options: TimePartitionsOptions) {
    this.#options = options;
    this.#schema = options.orm.config.getAll().schema as string;
  }

  /**
   * Creates the missing partitions for `times`, and then runs `write`, all in one transaction. With
   * `exclusive`, the transaction holds the advisory lock from its beginning, so that writers run one after the other.
   */
  async writing(times: readonly Date[], write: (tx: EntityManager) => Promise<void>, exclusive = false): Promise<void> {
    const missing = new Set(times.map((time) => this.#nameFor(time)).filter((name) => !this.#known.has(name)));
    try {
      await this.#options.orm.em.fork().transactional(async (tx) => {
        if (exclusive || missing.size > 0) await this.#lock(tx);
        for (const name of missing) await this.#create(tx, name);
        await write(tx);
      });
    } catch (error) {
      // another process may have dropped a partition, so the next call of `writing` checks its partitions again and
      // creates missing ones
      this.#known.clear();
      throw error;
    }
    for (const name of missing) this.#known.add(name);
  }

  /** Creates the missing partitions for `times`. Use it before a statement that inserts without `writing`. */
  async ensure(times: readonly Date[]): Promise<void> {
    if (times.some((time) => !this.#known.has(this.#nameFor(time)))) await this.writing(times, async () => undefined);
  }

  /**
   * Drops the partitions that end before a time, oldest first. Stops at the first partition that is still needed.
   * Returns the number of dropped rows.
   * @throws the lock timeout error of the database if readers would have to wait
   */
  async dropBefore(time: Date): Promise<number> {
    let dropped = 0;
    for (const name of await this.#before(time)) {
      const rows = await this.#drop(name);
      if (rows === undefined) break;
      dropped += rows;
    }
    return dropped;
  }

  /** Returns the number of rows that `dropBefore` would drop. */
  async countBefore(time: Date): Promise<number> {
    const em = this.#options.orm.em.fork();
    let count = 0;
    for (const name of await this.#before(time)) {
      if (await this.#isNeeded(em, name)) break;
      count += await countRows(em, this.#quoted(name));
    }
    return count;
  }

  /** Returns the starts of the partitions that have rows at a time or later, oldest first. */
  async startsSince(time: Date): Promise<Date[]> {
    const rows = await this.#options.orm.em.fork().execute<{ name: string }[]>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = ?::regclass and c.relname >= ? order by c.relname`,
      [this.#quoted(this.#options.table), this.#nameFor(time)],
    );
    return rows.map(({ name }) => startIn(name));
  }

  /** Lists the partitions that end before a time, oldest first. */
  async #before(time: Date): Promise<string[]> {
    const rows = await this.#options.orm.em.fork().execute<{ name: string }[]>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = ?::regclass and c.relname < ? order by c.relname`,
      [this.#quoted(this.#options.table), this.#nameFor(time)],
    );
    return rows.map(({ name }) => name);
  }

  /**
   * Creates a partition as a table, and then attaches it. The statement `create table … partition of` would block all
   * readers of the table.
   */
  async #create(tx: EntityManager, name: string): Promise<void> {
    const [parent, table] = [this.#quoted(this.#options.table), this.#quoted(name)];
    if (await exists(tx, table)) return;
    const start = startIn(name);
    await tx.execute(`set local lock_timeout = ${ATTACH_WAIT_MS}`);
    await tx.execute(`create table ${table} (like ${parent})`);
    await tx.execute(
      `alter table ${parent} attach partition ${table} for values from ('${start.toISOString()}') to ('${this.#options.period.after(start).toISOString()}')`,
    );
  }

  /** Drops a partition. Returns the number of its rows; undefined if the partition is still needed. */
  #drop(name: string): Promise<number | undefined> {
    const table = this.#quoted(name);
    return this.#options.orm.em.fork().transactional(async (tx) => {
      await this.#lock(tx);
      if (!(await exists(tx, table))) return 0;
      if (await this.#isNeeded(tx, name)) return undefined;
      const rows = await countRows(tx, table);
      await tx.execute(`set local lock_timeout = ${DROP_WAIT_MS}`);
      await tx.execute(`drop table ${table}`);
      this.#known.delete(name);
      return rows;
    });
  }

  async #isNeeded(em: EntityManager, name: string): Promise<boolean> {
    const { isNeeded } = this.#options;
    if (!isNeeded) return false;
    return (await em.execute<object[]>(`select 1 from ${this.#quoted(name)} where ${isNeeded} limit 1`)).length > 0;
  }

  #lock(tx: EntityManager): Promise<unknown> {
    return tx.execute('select pg_advisory_xact_lock(?)', [this.#options.lock]);
  }

  #nameFor(time: Date): string {
    const { table, period } = this.#options;
    return `${table}_${period.startOf(time).toISOString().replaceAll(/\D/g, '').slice(0, period.digits)}`;
  }

  #quoted(name: string): string {
    return `"${this.#schema}"."${name}"`;
  }
}

/** Returns the start of a partition, which is the end of its name. */
function startIn(partition: string): Date {
  const digits = /\d+$/.exec(partition)?.[0] ?? '';
  const [year, month, day = 1, hour = 0] = [digits.slice(0, 4), ...(digits.slice(4).match(/../g) ?? [])].map(Number);
  return new Date(Date.UTC(Number(year), Number(month) - 1, day, hour));
}

async function exists(tx: EntityManager, table: string): Promise<boolean> {
  const [row] = await tx.execute<{ found: string | null }[]>('select to_regclass(?)::text as found', [table]);
  return row?.found !== null;
}

async function countRows(em: EntityManager, table: string): Promise<number> {
  const [row] = await em.execute<{ count: number }[]>(`select count(*)::int as count from ${table}`);
  return row?.count ?? 0;
}
