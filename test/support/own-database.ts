import { createDatabase, scratchName } from '../../bench/scratch-database.ts';

/** The URL of a separate database on the server of the suites, dropped at their end; undefined without a server. */
export async function ownDatabase(): Promise<string | undefined> {
  const server = process.env.TEST_DATABASE_URL;
  return server && createDatabase(server, scratchName(ownName(server)));
}

/** The teardown of the suites drops databases whose names start with that of a worker's database. */
export const ownName = (server: string): string => `${new URL(server).pathname.slice(1)}_own`;
