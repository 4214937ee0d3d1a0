import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { DATABASE_TEMPLATE } from '../apps/platform/database-template.ts';
import { Database } from '../kernel/database/database.ts';
import type { Logger } from '../kernel/log/log.ts';
import { scratchFolder } from './scratch-folder.ts';

const CONNECT_TIMEOUT_MS = 5_000;
let made = 0;

/** Returns a name that starts with the prefix. Each call returns another name, even in different processes. */
export function scratchName(prefix: string): string {
  made += 1;
  return `${prefix}_${process.pid}_${Date.now().toString(36)}_${made}`;
}

/**
 * Creates an empty database: on `server` if it is given, otherwise embedded. `drop` closes and removes the database.
 * This file is in bench/ because measurements and tests may import from bench/, and no released code needs it.
 */
export async function openScratch(
  server: string | undefined,
  prefix: string,
  log: Logger,
): Promise<{ database: Database; drop(): Promise<void> }> {
  if (!server) {
    const folder = scratchFolder();
    const database = await Database.open({ dataDir: join(folder, 'postgres'), template: DATABASE_TEMPLATE }, log);
    return {
      database,
      async drop() {
        await database.close();
        rmSync(folder, { recursive: true });
      },
    };
  }
  const name = scratchName(prefix);
  const database = await Database.open({ url: await createDatabase(server, name) }, log);
  return {
    database,
    async drop() {
      await database.close();
      await onServer(server, (client) => dropOne(client, name));
    },
  };
}

/** Creates a database on a server, empty or as a copy of the database `template`, and returns its URL. */
export async function createDatabase(server: string, name: string, template?: string): Promise<string> {
  await onServer(server, (client) => client.query(`create database ${name}${template ? ` template ${template}` : ''}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Runs a measurement on a new database, so that dead rows of other measurements do not slow it down.
 * The processes of the measurement find the database in BENCH_DATABASE_URL. Without a server, the embedded database is
 * used.
 */
export async function onScratch<T>(prefix: string, measure: (env: NodeJS.ProcessEnv) => Promise<T>): Promise<T> {
  const server = process.env.BENCH_DATABASE_URL;
  if (!server) return measure(process.env);
  const name = scratchName(prefix);
  try {
    return await measure({ ...process.env, BENCH_DATABASE_URL: await createDatabase(server, name) });
  } finally {
    await dropDatabases(server, name);
  }
}

/** Drops the databases whose names start with `beginning`, after closing all connections to them. */
export async function dropDatabases(server: string, beginning: string): Promise<void> {
  await onServer(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [beginning]);
    for (const { datname } of rows) await dropOne(client, datname);
  });
}

const dropOne = (client: pg.Client, name: string): Promise<unknown> => client.query(`drop database if exists ${name} with (force)`);

async function onServer(url: string, act: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  await client.connect();
  try {
    await act(client);
  } finally {
    await client.end();
  }
}
