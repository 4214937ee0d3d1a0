import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { closeToOthers } from '../../kernel/files/file-modes.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { EMBEDDED_DATABASE } from './secret-key.ts';

/**
 * Makes the data folder, also one that was copied or restored, its owner's alone. The database is looked through at each start; files,
 * mails and SMS, which may be many, while their folder is open to others.
 */
export function closeDataFolder(dataDir: string, log: Logger): void {
  if (!existsSync(dataDir)) return;
  const database = join(dataDir, EMBEDDED_DATABASE);
  const failed = closeToOthers(dataDir, (path) => path !== database && !path.startsWith(`${database}${sep}`));
  if (failed.length > 0)
    log.warn(
      { count: failed.length, example: failed[0] },
      'Files of the data folder stay readable for others: their modes cannot be changed',
    );
}
