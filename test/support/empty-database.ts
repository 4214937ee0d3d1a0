import { openScratch } from '../../bench/scratch-database.ts';
import type { Database } from '../../kernel/database/database.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { ownName } from './own-database.ts';

/** Creates an empty database of the test mode: on PostgreSQL or embedded. `drop` closes and deletes it. */
export function emptyDatabase(log: Logger): Promise<{ database: Database; drop(): Promise<void> }> {
  const server = process.env.TEST_DATABASE_URL;
  return openScratch(server, server ? ownName(server) : '', log);
}
