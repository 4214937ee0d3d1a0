import pg from 'pg';
import { type Db, fromPglite } from 'pg-boss';
import type { Database } from '../database/database.ts';
import type { Logger } from '../log/log.ts';

const POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects pg-boss to the platform's database. Notifications of new jobs arrive on the shared listening connection, and
 * `onNotified` gets the name of the queue. Without this class, pg-boss would wake all workers of the queue for one job.
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
    // the channel stays open until the database is closed; then there are no workers to notify
    return { close: async () => undefined };
  }

  async close(): Promise<void> {
    await this.#pool?.end();
  }
}
