import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

const FILE = 'secret.key';
/** Folder of the embedded database in DATA_DIR. */
export const EMBEDDED_DATABASE = 'postgres';

/**
 * The embedded mode's own SECRET_KEY: made at the first start, kept beside the data that it protects.
 * @throws StartError where there are data and no key: a new one would open none of their secrets.
 */
export function keptSecretKey(dataDir: string): string {
  const file = join(dataDir, FILE);
  const kept = read(file);
  if (kept) return kept;
  if (existsSync(join(dataDir, EMBEDDED_DATABASE))) {
    const what = kept === undefined ? 'is missing' : 'is empty';
    throw new StartError(
      `The data folder ${dataDir} has a database, and its key ${file} ${what}: put the key back from a backup, or set SECRET_KEY to it. See The secret key in docs/operations.md.`,
    );
  }
  const key = randomBytes(32).toString('base64url');
  // whole or not at all, so that a start that was killed half way can be repeated
  const partial = `${file}.partial`;
  writeFileSync(partial, `${key}\n`, { mode: 0o600, flush: true });
  renameSync(partial, file);
  return key;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StartError(`The secret in ${file} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}
