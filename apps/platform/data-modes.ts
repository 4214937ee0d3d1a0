import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { closeToOthers } from '../../kernel/files/file-modes.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { EMBEDDED_DATABASE } from './secret-key.ts';

/**
 * Restricts the data folder to its owner, even if it was copied or restored. Checks the database at each start. There
 * may be many files, mails and SMS, so they are checked only while their folder is accessible to other users.
 */
export function closeDataFolder(dataDir: string, log: Logger): void {
  if (!existsSync(dataDir)) return;
  const database = join(dataDir, EMBEDDED_DATABASE);
  const failed = closeToOthers(dataDir, (path) => path !== database && !path.startsWith(`${database}${sep}`));
  if (failed.length > 0)
    log.warn(
      { count: failed.length, example: failed[0] },
      'Some files of the data folder remain readable by other users: their modes cannot be changed',
    );
}
