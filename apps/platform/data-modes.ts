import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { closeToOthers } from '../../kernel/files/file-modes.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { EMBEDDED_DATABASE } from './secret-key.ts';

/**
 * Removes the access of other users to the data folder, for example after the folder was restored from a backup. The
 * modes of the database files are checked at each start. There may be many files, mails and SMS, so their modes are
 * checked only if other users can access their folder.
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
