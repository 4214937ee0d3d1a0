import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import pg from 'pg';
import array from 'postgres-array';
import type { Logger } from '../log/log.ts';
import { CommitOutcomeUnknown } from './unavailable.ts';

/** How long a statement waits for a free connection, or a new connection for the server, before it fails. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Values as the ORM reads them: timestamps and dates stay text. */
const PARSERS = createPostgreSqlTypeParsers((text: string) => array.parse(text));
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
};

/** Creates the pool that the ORM and its transactions use. It keeps no state in a session, so that a connection pooler may stand before the server. */
export function createPool(options: { url: string; max: number; log: Logger }): pg.Pool {
  const { url, max, log } = options;
  const pool = new pg.Pool({ connectionString: url, max, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true, types: TYPES });
  pool.on('error', (error) => log.debug({ err: error }, 'a database connection was lost'));
  pool.on('connect', (client) => {
    // a connection in use reports its loss by the statement that fails, and here, where nobody listens
    client.on('error', (error) => log.debug({ err: error }, 'a database connection was lost'));
    discardAfterFailure(client);
  });
  return pool;
}

/** As Kysely writes them; savepoints are none of them. */
const BOUNDARY = /^(?:begin|start transaction\b.*|commit|rollback)$/;

type Query = (...args: readonly unknown[]) => Promise<pg.QueryResult> | undefined;

/**
 * Has a connection leave its pool when a transaction on it could not begin or end. Kysely gives a connection back only after a
 * COMMIT or ROLLBACK that succeeded: without this, each connection that is lost inside a transaction takes a place in the pool for good.
 */
function discardAfterFailure(client: pg.PoolClient): void {
  const query = client.query.bind(client) as Query;
  let isDiscarded = false;
  const discard = (): void => {
    // whoever began the transaction may still send a ROLLBACK: this connection is closed by then
    if (!isDiscarded) client.release(true);
    isDiscarded = true;
  };
  const bound = async (text: string, running: Promise<pg.QueryResult> | undefined): Promise<pg.QueryResult | undefined> => {
    const result = await running?.catch((error: unknown) => {
      discard();
      throw text === 'commit' && !isRefused(error) ? new CommitOutcomeUnknown(error) : error;
    });
    if (text !== 'commit' || result?.command === 'COMMIT') return result;
    discard();
    throw new Error('The server rolled the transaction back, because a statement in it had failed.');
  };
  client.query = ((...args: readonly unknown[]) => {
    const [text] = args;
    const running = query(...args);
    return typeof text === 'string' && BOUNDARY.test(text) ? bound(text, running) : running;
  }) as typeof client.query;
}

/** Whether the server said that a COMMIT was not done; anything else that ends it leaves that open. */
const isRefused = (error: unknown): boolean => error instanceof pg.DatabaseError && error.severity === 'ERROR';
