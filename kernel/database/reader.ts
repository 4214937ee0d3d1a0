import pg from 'pg';
import { TYPES } from './pool.ts';
import type { StatementNames } from './statements.ts';

const CONNECT_TIMEOUT_MS = 5000;
/** How long a read waits for a table that is locked as a whole: every read behind it waits too, whatever table it is of. */
const LOCK_TIMEOUT_MS = 3000;
/**
 * A plan is made once and kept, for whichever organization asks. Made for the average one, which has few records, it would sort
 * all of an organization's to find its newest, or look through the table: short reads follow an index, in its order. What has no index
 * seems to cost so much then that PostgreSQL compiles its plan (jit): 200 ms for a log without a partition, which is read in nothing.
 */
const BY_INDEX = `set jit = off; set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set enable_sort = off;
  set enable_hashjoin = off; set enable_mergejoin = off; set enable_bitmapscan = off; set enable_material = off`;

/**
 * Sends short reads one behind the other on a single connection, without waiting for an answer before the next one is sent
 * (PostgreSQL calls that a pipeline). A pool has each request wake a sleeping backend and wait for it; here, under load, the
 * backend finds the next read when it has answered one, which costs the two processes half as much. One connection is enough:
 * a backend answers several times as many reads as one process of ours can ask. What may take its time, or wait for a lock,
 * belongs on the pool: those behind it would wait too.
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
   * The values of each row in the order of the columns. For a select that is answered at once: by a key or in the order of an
   * index, without locks. @throws the driver's error, also where the connection is lost meanwhile
   */
  async read(text: string, values: unknown[]): Promise<unknown[][]> {
    const client = this.#client ?? (await this.#open());
    this.#gather(client);
    try {
      const { rows } = await client.query({ name: this.names.of(text), text, values, rowMode: 'array' });
      return rows;
    } catch (error) {
      // the server has ended the session: the connection is about to follow
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

  /** A connection that is lost fails what was sent on it; what comes next opens another one. */
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

  /** What is read in one turn of the event loop is handed to the system at once, which costs as much for one read as for several. */
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
