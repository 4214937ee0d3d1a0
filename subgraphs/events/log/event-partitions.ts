import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { dateOf, dayStart } from '../../../kernel/values/days.ts';

/** Number of the advisory lock for appending to the log and for changing its partitions ("events" in ASCII). */
const LOG_LOCK = 0x6576656e7473;
/**
 * Lock timeout for attaching a partition. Only maintenance of the table can make it wait; readers and writers cannot.
 * After a timeout, the relay retries.
 */
const ATTACH_WAIT_MS = 2_000;
/**
 * Lock timeout for dropping a partition. It is short, because dropping waits for current readers, and new readers wait
 * behind it.
 */
const DROP_WAIT_MS = 50;

/** The partitions of the log, one per day (UTC) with events, such as `event_log_20260131`. */
export class EventPartitions {
  readonly #schema: string;
  /** Names of the partitions that this process has created or found. */
  readonly #known = new Set<string>();

  constructor(private readonly orm: Orm) {
    this.#schema = orm.config.getAll().schema as string;
  }

  /**
   * Runs `append` in a transaction with an exclusive lock of the log. Creates missing partitions for these times first.
   * Appends run one after the other, so that sequences become visible in order and a reader never skips an uncommitted
   * event.
   */
  async appending(instants: readonly Date[], append: (tx: EntityManager) => Promise<void>): Promise<void> {
    const missing = new Set(instants.map(partitionOf).filter((name) => !this.#known.has(name)));
    try {
      await this.orm.em.fork().transactional(async (tx) => {
        await tx.execute('select pg_advisory_xact_lock(?)', [LOG_LOCK]);
        for (const name of missing) await this.#make(tx, name);
        await append(tx);
      });
    } catch (error) {
      // another process may have dropped a partition, so the next call checks again and creates it if needed
      this.#known.clear();
      throw error;
    }
    for (const name of missing) this.#known.add(name);
  }

  /**
   * Drops the partitions of all days before a time, oldest first. Stops at the first partition that a consumer has not
   * read completely. Returns the number of dropped events.
   * @throws the lock timeout error of the database if readers would have to wait
   */
  async dropBefore(instant: Date): Promise<number> {
    let dropped = 0;
    for (const name of await this.#before(instant)) {
      const events = await this.#drop(name);
      if (events === undefined) break;
      dropped += events;
    }
    return dropped;
  }

  /** Returns the number of events that `dropBefore` would drop. */
  async countBefore(instant: Date): Promise<number> {
    let count = 0;
    for (const name of await this.#before(instant)) {
      const [row] = await this.orm.em.fork().execute<{ count: number; unread: boolean }[]>(
        `select count(*)::int as count, coalesce(max("sequence") > (select min("last_sequence") from ${this.#quoted('consumer')}), false) as unread
         from ${this.#quoted(name)}`,
      );
      if (!row || row.unread) break;
      count += row.count;
    }
    return count;
  }

  /** Lists the partitions of all days before a time, oldest first. */
  async #before(instant: Date): Promise<string[]> {
    const rows = await this.orm.em.fork().execute<{ name: string }[]>(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = ?::regclass and c.relname < ? order by c.relname`,
      [`"${this.#schema}"."event_log"`, partitionOf(instant)],
    );
    return rows.map(({ name }) => name);
  }

  /**
   * Creates a partition as a table, and then attaches it. The statement `create table … partition of` would block all
   * readers of the log.
   */
  async #make(tx: EntityManager, name: string): Promise<void> {
    const table = this.#quoted(name);
    if (await exists(tx, table)) return;
    const from = dayOf(name);
    await tx.execute(`set local lock_timeout = ${ATTACH_WAIT_MS}`);
    await tx.execute(`create table ${table} (like ${this.#quoted('event_log')})`);
    await tx.execute(
      `alter table ${this.#quoted('event_log')} attach partition ${table} for values from ('${from.toISOString()}') to ('${dayStart(from, 1).toISOString()}')`,
    );
  }

  /** Drops a partition. Returns the number of its events. Returns undefined if a consumer has not read all of them. */
  async #drop(name: string): Promise<number | undefined> {
    const table = this.#quoted(name);
    return this.orm.em.fork().transactional(async (tx) => {
      await tx.execute('select pg_advisory_xact_lock(?)', [LOG_LOCK]);
      if (!(await exists(tx, table))) return 0;
      const [unread] = await tx.execute<object[]>(
        `select 1 from ${table} where "sequence" > (select min("last_sequence") from ${this.#quoted('consumer')}) limit 1`,
      );
      if (unread) return undefined;
      const [events] = await tx.execute<{ count: number }[]>(`select count(*)::int as count from ${table}`);
      await tx.execute(`set local lock_timeout = ${DROP_WAIT_MS}`);
      await tx.execute(`drop table ${table}`);
      this.#known.delete(name);
      return events?.count ?? 0;
    });
  }

  #quoted(name: string): string {
    return `"${this.#schema}"."${name}"`;
  }
}

const partitionOf = (instant: Date): string => `event_log_${dateOf(instant).replaceAll('-', '')}`;

const dayOf = (partition: string): Date => new Date(partition.replace(/^.*(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3T00:00:00.000Z'));

async function exists(tx: EntityManager, table: string): Promise<boolean> {
  const [row] = await tx.execute<{ found: string | null }[]>('select to_regclass(?)::text as found', [table]);
  return row?.found !== null;
}
