import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecretKeys } from '../../kernel/access/secret-box.ts';
import type { Config } from '../../kernel/settings/config.ts';
import { StartError } from './start-error.ts';

const FILE = 'secret.key';
/** File of the previous key, which exists while `npm run maintenance -- reencrypt` replaces the key. */
const FALLBACK_FILE = 'secret.key.fallback';
/** Name of the folder in DATA_DIR that contains the embedded database. */
export const EMBEDDED_DATABASE = 'postgres';

/** Returns the secret keys from the settings, or in embedded mode from the data folder. @throws StartError */
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

/**
 * Replaces the stored key with a new key, and keeps the old key as the fallback key. Continues a replacement that was
 * interrupted.
 */
export function replaceKeptSecretKey(dataDir: string): SecretKeys {
  const [current, fallback] = secretKeysOf({ dataDir, secretKey: undefined, secretKeyFallback: undefined });
  if (fallback !== undefined && fallback !== current) return [current, fallback];
  write(join(dataDir, FALLBACK_FILE), current);
  const fresh = newSecretKey();
  write(join(dataDir, FILE), fresh);
  return [fresh, current];
}

/** Deletes the fallback key. Call it when nothing is encrypted with this key any more. */
export const forgetKeptFallback = (dataDir: string): void => rmSync(join(dataDir, FALLBACK_FILE), { force: true });

/**
 * Returns the secret key of embedded mode. The first start creates the key and stores it in the data folder, which also
 * contains the data that is encrypted with the key.
 * @throws StartError if there is a database but no key: a new key could not decrypt the secrets in the database
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

/** Writes a key file atomically, so that a killed process does not leave an incomplete file. */
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
