import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
/** Minimum free memory for the use of /dev/shm. All tests together need about a tenth of this memory. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Creates the folder for all files that tests write. It is in memory if there is enough space, because tests often start
 * with a new database. It is deleted after all tests, because workers exit without cleanup.
 */
export default function setup(): () => void {
  const folder = mkdtempSync(join(hasRoom(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'telecom-platform-tests-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= ROOM_BYTES;
}
