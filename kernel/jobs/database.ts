import pg from 'pg';
import { type Db, fromPglite } from 'pg-boss';
import type { Database } from '../database/database.ts';
import type { Logger } from '../log/log.ts';

const POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * pg-boss on a database of ours. It hears of new jobs over the connection that everything else listens on, and who listens is told
 * the queue: pg-boss itself would wake all workers of it, of which one has something to do.
 */
export class JobDatabase implements Db {
  readonly #pool: pg.Pool | undefined;
  readonly executeSql: Db['executeSql'];

  constructor(
    private readonly database: Database,
    private readonly onNotified: (queue: string) => void,
    log: Logger,
  ) {
    const { pglite, target } = database;
    if (pglite) {
      this.executeSql = fromPglite(pglite).executeSql;
      return;
    }
    const pool = new pg.Pool({
      connectionString: (target as { url: string }).url,
      max: POOL_SIZE,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'pgboss',
    });
    pool.on('error', (error) => log.warn({ err: error }, 'a connection of the job queue was lost'));
    this.executeSql = (text, values) => pool.query(text, values);
    this.#pool = pool;
    database.pools.set('jobs', pool);
  }

  async listen(channel: string): Promise<{ close(): Promise<void> }> {
    await this.database.listen(channel, this.onNotified);
    // until the database is closed; who is told then has no workers any more
    return { close: async () => undefined };
  }

  async close(): Promise<void> {
    await this.#pool?.end();
  }
}
