import pg from 'pg';
import { TYPES } from './pool.ts';
import type { StatementNames } from './statements.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** Time for which a read waits for a locked table. During this time all later reads wait too, even if they read other tables. */
const LOCK_TIMEOUT_MS = 3000;
/**
 * Settings that make short reads use an index with the requested sort order.
 * PostgreSQL makes one plan for all organizations. Without these settings, it would make the plan for an average
 * organization, which has few records: the plan would sort all records, or scan the table, to find the newest.
 * If there is no suitable index, these settings make the estimated cost so high that PostgreSQL would compile the plan
 * (jit). Compilation takes 200 ms even for an empty table, so jit is off.
 */
const BY_INDEX = `set jit = off; set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_sort = off;
  set enable_hashjoin = off; set enable_mergejoin = off; set enable_bitmapscan = off; set enable_material = off`;

/**
 * Sends short reads on a single connection without waiting for earlier responses (the pipeline mode of PostgreSQL).
 * With a pool, each request wakes a sleeping backend process and waits for it. With a pipeline under load, the backend
 * finds the next read when it finishes the previous one. This halves the CPU cost of both processes.
 * One connection is enough: a backend handles several times as many reads as one process of the platform can send. Slow
 * reads, and reads that wait for locks, must use the pool, because they would block the reads behind them.
 */
export class DatabaseReader {
  #client: pg.Client | undefined;
  #opening: Promise<pg.Client> | undefined;
  #isClosed = false;
  #isGathering = false;

  constructor(
    private readonly url: string,
    private readonly names: StatementNames,
  ) {}

  /**
   * Returns the values of each row in column order. Use it only for a fast SELECT without locks: one that finds its
   * rows by a key, or reads them in the order of an index.
   * @throws Error of the driver, also if the connection is lost before the response arrives
   */
  async read(text: string, values: unknown[]): Promise<unknown[][]> {
    const client = this.#client ?? (await this.#open());
    this.#gather(client);
    try {
      const { rows } = await client.query({ name: this.names.of(text), text, values, rowMode: 'array' });
      return rows;
    } catch (error) {
      // the server has ended the session and will close the connection soon
      if ((error as Partial<pg.DatabaseError>).severity === 'FATAL') this.#leave(client);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const client = this.#client ?? (await this.#opening?.catch(() => undefined));
    await client?.end();
  }

  #open(): Promise<pg.Client> {
    if (this.#isClosed) return Promise.reject(new Error('The database is closed.'));
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /**
   * Opens a connection. If it is lost, the reads that were sent on it fail, and the next read opens another connection.
   */
  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      pipeline: true,
      types: TYPES,
    });
    client.on('error', () => this.#leave(client));
    client.on('end', () => this.#leave(client));
    await client.connect();
    await client.query(`${BY_INDEX}; set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    this.#client = client;
    return client;
  }

  /**
   * Sends all reads of one iteration of the event loop with a single write, which costs as much as sending one read.
   */
  #gather({ connection: { stream } }: pg.Client): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    stream.cork();
    setImmediate(() => {
      this.#isGathering = false;
      stream.uncork();
    });
  }

  #leave(client: pg.Client): void {
    if (this.#client === client) this.#client = undefined;
  }
}
