import { openScratch } from '../../bench/scratch-database.ts';
import type { Database } from '../../kernel/database/database.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { ownName } from './own-database.ts';

/** Creates an empty database, on PostgreSQL if TEST_DATABASE_URL is set, otherwise embedded. `drop` closes and deletes it. */
export function emptyDatabase(log: Logger): Promise<{ database: Database; drop(): Promise<void> }> {
  const server = process.env.TEST_DATABASE_URL;
  return openScratch(server, server ? ownName(server) : '', log);
}
