import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import type { History } from './history.ts';

export const RELEASES = fileURLToPath(new URL('../fixtures/releases', import.meta.url));

/**
 * A recorded database of an earlier release, with the information that is needed to open it; stored in release.json.
 */
export interface Recording extends History {
  organizationId: string;
  apiKey: string;
  /** The secret key of a platform on PostgreSQL. An embedded data folder contains its own key. */
  secretKey?: string;
}

export interface Release {
  name: string;
  /** The version in package.json when the release was recorded. */
  version: string;
  commit: string;
  recordedAt: string;
  embedded: Recording;
  postgres: Recording;
}

/** Sandbox mode gives API keys a test prefix, so that secret scanners do not report them. */
export const SETTINGS = { SANDBOX: '1' };

const [DESCRIPTION, DUMP] = ['release.json', 'postgres.sql.gz'];

/**
 * `embedded` is the data folder of a platform with the embedded database; it also contains the secret key. `postgres` is the
 * data folder of a platform on PostgreSQL; it contains the stored files.
 */
export type DataFolder = 'embedded' | 'postgres';
const archiveOf = (name: string, folder: DataFolder): string => join(RELEASES, name, `${folder}.tar.br`);

/** The recorded releases, sorted by folder name, oldest first. */
export const releases = (): Release[] =>
  readdirSync(RELEASES)
    .filter((name) => existsSync(join(RELEASES, name, DESCRIPTION)))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(RELEASES, name, DESCRIPTION), 'utf8')));

export const describeRelease = (release: Release): void =>
  writeFileSync(join(RELEASES, release.name, DESCRIPTION), `${JSON.stringify(release, null, 2)}\n`);

/** Packs a data folder that no process is using. */
export function packFolder(name: string, of: DataFolder, folder: string): void {
  const tar = run('tar', ['-cf', '-', '-C', folder, '.']);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(archiveOf(name, of), brotliCompressSync(tar, { params }));
}

export function unpackFolder(name: string, of: DataFolder, folder: string): void {
  run('tar', ['-xf', '-', '-C', folder], brotliDecompressSync(readFileSync(archiveOf(name, of))));
}

/** Dumps a database as plain SQL that any client can run: INSERT statements and no psql commands. */
export function dump(name: string, url: string): void {
  const sql = run('pg_dump', ['--inserts', '--rows-per-insert=50', '--no-owner', '--no-privileges', url]).toString();
  writeFileSync(join(RELEASES, name, DUMP), gzipSync(sql.replace(/^\\.*\n/gm, ''), { level: 9 }));
}

export async function restore(name: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(gunzipSync(readFileSync(join(RELEASES, name, DUMP))).toString());
  } finally {
    await client.end();
  }
}

function run(program: string, args: readonly string[], input?: Buffer): Buffer {
  const { status, error, stdout, stderr } = spawnSync(program, args, { input, maxBuffer: 1024 ** 3 });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr.toString()}`);
  return stdout;
}
