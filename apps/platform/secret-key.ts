import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

const FILE = 'secret.key';

/** The embedded mode's own SECRET_KEY: made at the first start, kept beside the data that it protects. */
export function keptSecretKey(dataDir: string): string {
  const file = join(dataDir, FILE);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new StartError(`The secret in ${file} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
  const key = randomBytes(32).toString('base64url');
  writeFileSync(file, `${key}\n`, { flag: 'wx', mode: 0o600 });
  return key;
}
