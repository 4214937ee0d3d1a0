import { createDatabase, scratchName } from '../../bench/scratch-database.ts';

/** Creates a database on PostgreSQL that is dropped after all tests. Undefined if the tests run without PostgreSQL. */
export async function ownDatabase(): Promise<string | undefined> {
  const server = process.env.TEST_DATABASE_URL;
  return server && createDatabase(server, scratchName(ownName(server)));
}

/** The secret key of platforms that tests start, and of the template of their databases. */
export const TEST_SECRET_KEY = 'a secret for tests that is long enough';

/**
 * Like `ownDatabase`, but with all migrations, which take seconds. For platforms with `TEST_SECRET_KEY`. The databases of
 * `npm test` are copied from a template too.
 */
export async function migratedDatabase(): Promise<string | undefined> {
  const server = process.env.TEST_DATABASE_URL;
  return server && createDatabase(server, scratchName(ownName(server)), process.env.TEST_DATABASE_TEMPLATE);
}

/**
 * The name prefix of databases that tests create. It starts with the name of the worker's database, so that the cleanup
 * after all tests drops these databases too.
 */
export const ownName = (server: string): string => `${new URL(server).pathname.slice(1)}_own`;
