import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecretKeys } from '../../kernel/access/secret-box.ts';
import type { Config } from '../../kernel/settings/config.ts';
import { StartError } from './start-error.ts';

const FILE = 'secret.key';
/** The previous key, while `npm run maintenance -- reencrypt` replaces it. */
const FALLBACK_FILE = 'secret.key.fallback';
/** Folder of the embedded database in DATA_DIR. */
export const EMBEDDED_DATABASE = 'postgres';

/** Returns the keys from the settings, or in embedded mode those from the data folder. @throws StartError */
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

/** Replaces the stored key by a new one and keeps the old one as its fallback. Continues a replacement that was already begun. */
export function replaceKeptSecretKey(dataDir: string): SecretKeys {
  const [current, fallback] = secretKeysOf({ dataDir, secretKey: undefined, secretKeyFallback: undefined });
  if (fallback !== undefined && fallback !== current) return [current, fallback];
  write(join(dataDir, FALLBACK_FILE), current);
  const fresh = newSecretKey();
  write(join(dataDir, FILE), fresh);
  return [fresh, current];
}

/** Deletes the fallback key, once nothing is encrypted with it any more. */
export const forgetKeptFallback = (dataDir: string): void => rmSync(join(dataDir, FALLBACK_FILE), { force: true });

/**
 * Returns the secret key of embedded mode. It is created at the first start and stored with the data that it protects.
 * @throws StartError if there are data but no key: a new key would decrypt none of their secrets
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

/** Writes a file atomically, so that a step that was killed can be repeated. */
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
