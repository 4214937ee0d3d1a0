import pg from 'pg';
import { type Db, fromPglite } from 'pg-boss';
import type { Database } from '../database/database.ts';
import { StatementNames } from '../database/statements.ts';
import type { Logger } from '../log/log.ts';

const POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MS = 30_000;
/**
 * SQL settings of the connections that fetch and complete jobs. Their statements do not wait for the disk: if the server crashes before it
 * has written them, the jobs run again, as after any crash. The statements are planned each time, because a plan for an empty table stays
 * in use while the table fills. Not set through a pooler, because it would change the sessions of other programs.
 */
const SESSION = 'set synchronous_commit = off; set plan_cache_mode = force_custom_plan';

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
    const { url } = target as { url: string };
    const hasSessions = url === database.directUrl;
    const pool = new pg.Pool({
      connectionString: url,
      max: POOL_SIZE,
      // a connection that is lost without notice must not stop a queue
      keepAlive: true,
      query_timeout: QUERY_TIMEOUT_MS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: 'pgboss',
      ...(hasSessions && { onConnect: (client: pg.ClientBase) => client.query(SESSION) }),
    });
    pool.on('error', (error) => log.warn({ err: error }, 'a connection of the job queue was lost'));
    const names = hasSessions ? new StatementNames() : undefined;
    this.executeSql = (text, values = []) => pool.query({ name: values.length > 0 ? names?.of(text) : undefined, text, values });
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
