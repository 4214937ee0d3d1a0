import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { DATABASE_TEMPLATE } from '../../apps/platform/database-template.ts';
import { EXTENSIONS } from '../../kernel/migrations/extensions.ts';
import type { SubgraphName } from '../../kernel/settings/data.ts';
import { type Rig, start } from '../rig.ts';
import { ownDatabase } from './own-database.ts';
import { temporaryFolder } from './process.ts';

/** A database for several platforms one after another. Between two platforms a test can change it with SQL. */
export interface KeptDatabase {
  /** Settings of a platform that uses this database, without the secret key. */
  readonly settings: Readonly<Record<string, string>>;
  readonly dataDir: string;
  sql<R extends object>(text: string): Promise<R[]>;
  /** Starts a platform on this database and stops it. */
  startedOnce(settings?: Record<string, string>): Promise<void>;
}

/** Creates a migrated database on which no platform has been started. */
export async function keptDatabase(key: Record<string, string> = {}): Promise<KeptDatabase> {
  const dataDir = temporaryFolder();
  const url = await ownDatabase();
  const settings = { DATA_DIR: dataDir, DATABASE_URL: url ?? '' };
  const startedOnce = async (more: Record<string, string> = {}) => (await start({ ...settings, ...more })).close();
  if (!url) {
    const folder = join(dataDir, 'postgres');
    cpSync(DATABASE_TEMPLATE, folder, { recursive: true });
    return { settings, dataDir, startedOnce, sql: (text) => onEmbedded(folder, text) };
  }
  await startedOnce(key);
  return { settings, dataDir, startedOnce, sql: (text) => onServer(url, text) };
}

/**
 * Creates two databases on PostgreSQL: one for `domains`, which `others` queries, and one for all other domains, which
 * `sql` queries.
 */
export async function twoDatabases(domains: readonly SubgraphName[]): Promise<KeptDatabase & { others: KeptDatabase['sql'] }> {
  const [url, second] = [(await ownDatabase()) as string, (await ownDatabase()) as string];
  const dataDir = temporaryFolder();
  const own = Object.fromEntries(domains.map((name) => [`${name.toUpperCase()}_DATABASE_URL`, second]));
  const settings = { DATA_DIR: dataDir, DATABASE_URL: url, ...own };
  const startedOnce = async (more: Record<string, string> = {}) => (await start({ ...settings, ...more })).close();
  return { settings, dataDir, startedOnce, sql: (text) => onServer(url, text), others: (text) => onServer(second, text) };
}

/** The error message of a platform that must not start. If the platform starts, it is closed, and the test fails. */
export async function refusalOf(starting: Promise<Rig>): Promise<string> {
  const outcome = await starting.then(
    (platform) => platform.close(),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (outcome === undefined) throw new Error('The platform started.');
  return outcome;
}

async function onEmbedded<R extends object>(dataDir: string, text: string): Promise<R[]> {
  const pglite = await PGlite.create({ dataDir, extensions: EXTENSIONS });
  try {
    return ((await pglite.exec(text)).at(-1)?.rows ?? []) as R[];
  } finally {
    await pglite.close();
  }
}

async function onServer<R extends object>(connectionString: string, text: string): Promise<R[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return [await client.query<R>(text)].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}
