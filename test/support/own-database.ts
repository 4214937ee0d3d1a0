import { createDatabase, scratchName } from '../../bench/scratch-database.ts';

/** The URL of a database that nobody else uses, on the server that the suites run on, dropped at their end; undefined where that is none. */
export async function ownDatabase(): Promise<string | undefined> {
  const server = process.env.TEST_DATABASE_URL;
  return server && createDatabase(server, scratchName(ownName(server)));
}

/** The suites' teardown drops what begins with the name of a worker's database. */
export const ownName = (server: string): string => `${new URL(server).pathname.slice(1)}_own`;
