import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { closeToOthers } from '../files/file-modes.ts';
import { EXTENSIONS } from '../migrations/extensions.ts';

/** PostgreSQL settings for a database that only one process uses. The file system cache holds its files, so the buffers can be small. */
const SETTINGS = ['shared_buffers = 32MB', 'min_wal_size = 2MB'];

/**
 * Creates a PostgreSQL cluster with a single database and small WAL segments. Clusters are copied often; this cluster
 * needs only a third of the default disk space.
 */
async function initialize(dataDir: string): Promise<void> {
  const initDbStartParams = ['--wal-segsize=1'];
  const pglite = await PGlite.create({ dataDir, extensions: EXTENSIONS, initDbStartParams, postgresqlconf: SETTINGS });
  await pglite.exec('update pg_database set datistemplate = false');
  for (const name of ['template0', 'template1']) await pglite.exec(`drop database ${name}`);
  await pglite.close();
}

/**
 * Creates a cluster in the folder `dataDir`, unless this folder exists. Copies `template` if it exists. The folder is
 * named `….partial` until the cluster is complete, so after an interruption the next start creates the cluster again.
 */
export async function createCluster(dataDir: string, template: string | undefined): Promise<void> {
  if (existsSync(dataDir)) return;
  const partial = `${dataDir}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(dirname(dataDir), { recursive: true });
  if (template && existsSync(template)) cpSync(template, partial, { recursive: true });
  else await initialize(partial);
  closeToOthers(partial);
  renameSync(partial, dataDir);
}
