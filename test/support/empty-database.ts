import pg from 'pg';
import { DATABASE_TEMPLATE } from '../../apps/database-template.path.ts';
import { Database } from '../../kernel/database.ts';
import type { Logger } from '../../kernel/log.ts';

let made = 0;

/** A database with nothing in it, of the kind that the suites run on; `drop` closes and removes it. */
export async function emptyDatabase(log: Logger): Promise<{ database: Database; drop(): Promise<void> }> {
  const server = process.env.TEST_DATABASE_URL;
  if (!server) {
    const database = await Database.open({ template: DATABASE_TEMPLATE }, log);
    return { database, drop: () => database.close() };
  }
  made += 1;
  const name = `platform_empty_${process.pid}_${Date.now().toString(36)}_${made}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await run(server, `create database ${name}`);
  const database = await Database.open({ url: url.href }, log);
  return {
    database,
    async drop() {
      await database.close();
      await run(server, `drop database if exists ${name} with (force)`);
    },
  };
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
