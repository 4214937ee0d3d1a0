import pg from 'pg';
import { TYPES } from './pool.ts';
import type { StatementNames } from './statements.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** How long a read waits for a locked table. All reads queued behind it wait too, whatever their table. */
const LOCK_TIMEOUT_MS = 3000;
/**
 * Settings that make short reads follow an index in its order.
 * A plan is made once and used for all organizations. A plan for an average organization with few records would sort all records or scan
 * the table to find the newest.
 * Without an index, these settings make the estimated cost so high that PostgreSQL would compile the plan (jit), which takes 200 ms even
 * for an empty log. So jit is off.
 */
const BY_INDEX = `set jit = off; set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_sort = off;
  set enable_hashjoin = off; set enable_mergejoin = off; set enable_bitmapscan = off; set enable_material = off`;

/**
 * Sends short reads on a single connection without waiting for earlier responses (PostgreSQL calls this pipeline mode).
 * With a pool, each request wakes a sleeping backend and waits for it. With a pipeline under load, the backend finds the next read when it
 * finishes one, which halves the CPU cost of both processes.
 * One connection is enough: a backend handles several times as many reads as one of our processes can send. Slow reads and reads that wait
 * for locks belong on the pool, because they would block the others.
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
   * Returns the values of each row in column order. Only for a fast select without locks: by a key, or in the order of an index.
   * @throws the driver's error, also if the connection is lost meanwhile
   */
  async read(text: string, values: unknown[]): Promise<unknown[][]> {
    const client = this.#client ?? (await this.#open());
    this.#gather(client);
    try {
      const { rows } = await client.query({ name: this.names.of(text), text, values, rowMode: 'array' });
      return rows;
    } catch (error) {
      // the server has ended the session, and the connection will close soon
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

  /** A lost connection fails the reads that were sent on it. The next read opens another connection. */
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

  /** Sends all reads of one turn of the event loop with a single write, which costs as much as one read. */
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
