import { createPostgreSqlTypeParsers } from '@mikro-orm/sql';
import pg from 'pg';
import array from 'postgres-array';
import type { Logger } from '../log/log.ts';

/**
 * Maximum time to wait for a free connection of the pool, or for the server when a new connection is opened. After this
 * time, the statement that needs the connection fails.
 */
const CONNECT_TIMEOUT_MS = 5_000;

/** The type parsers of the ORM: timestamps and dates remain text. */
const PARSERS = createPostgreSqlTypeParsers((text: string) => array.parse(text));
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
};

/**
 * Creates the pool for the ORM and its transactions. The connections keep no session state, so the pool works behind a
 * connection pooler.
 */
export function createPool(options: { url: string; max: number; log: Logger }): pg.Pool {
  const { url, max, log } = options;
  const pool = new pg.Pool({ connectionString: url, max, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, keepAlive: true, types: TYPES });
  const lost = (error: Error): void => log.debug({ err: error }, 'a database connection was lost');
  pool.on('error', lost);
  // if a connection in use is lost, its statement fails; the connection also emits `error`, which would end the process
  // without a listener
  pool.on('connect', (client) => client.on('error', lost));
  return pool;
}
