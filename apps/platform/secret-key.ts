import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecretKeys } from '../../kernel/access/secret-box.ts';
import type { Config } from '../../kernel/settings/config.ts';
import { StartError } from './start-error.ts';

const FILE = 'secret.key';
/** The key before, while `npm run maintenance -- reencrypt` replaces it. */
const FALLBACK_FILE = 'secret.key.fallback';
/** Folder of the embedded database in DATA_DIR. */
export const EMBEDDED_DATABASE = 'postgres';

/** The keys of the settings, or those that the embedded mode keeps in its data folder. @throws StartError */
export function secretKeysOf({
  secretKey,
  secretKeyFallback,
  dataDir,
}: Pick<Config, 'secretKey' | 'secretKeyFallback' | 'dataDir'>): SecretKeys {
  if (secretKey) return secretKeyFallback ? [secretKey, secretKeyFallback] : [secretKey];
  const current = keptSecretKey(dataDir);
  const fallback = read(join(dataDir, FALLBACK_FILE));
  return fallback ? [current, fallback] : [current];
}

/** Puts a new key in place of the kept one, which stays beside it as its fallback. Where that was begun before, it goes on. */
export function replaceKeptSecretKey(dataDir: string): SecretKeys {
  const [current, fallback] = secretKeysOf({ dataDir, secretKey: undefined, secretKeyFallback: undefined });
  if (fallback !== undefined && fallback !== current) return [current, fallback];
  write(join(dataDir, FALLBACK_FILE), current);
  const fresh = newSecretKey();
  write(join(dataDir, FILE), fresh);
  return [fresh, current];
}

/** Removes the fallback key, once nothing is encrypted with it. */
export const forgetKeptFallback = (dataDir: string): void => rmSync(join(dataDir, FALLBACK_FILE), { force: true });

/**
 * The embedded mode's own SECRET_KEY: made at the first start, kept beside the data that it protects.
 * @throws StartError where there are data and no key: a new one would open none of their secrets.
 */
function keptSecretKey(dataDir: string): string {
  const file = join(dataDir, FILE);
  const kept = read(file);
  if (kept) return kept;
  if (existsSync(join(dataDir, EMBEDDED_DATABASE))) {
    const what = kept === undefined ? 'is missing' : 'is empty';
    throw new StartError(
      `The data folder ${dataDir} has a database, and its key ${file} ${what}: put the key back from a backup, or set SECRET_KEY to it. See The secret key in docs/operations.md.`,
    );
  }
  const key = newSecretKey();
  write(file, key);
  return key;
}

export const newSecretKey = (): string => randomBytes(32).toString('base64url');

/** Writes a file whole or not at all, so that a step that was killed can be repeated. */
function write(file: string, key: string): void {
  const partial = `${file}.partial`;
  writeFileSync(partial, `${key}\n`, { mode: 0o600, flush: true });
  renameSync(partial, file);
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StartError(`The secret in ${file} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}
