import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
/** All tests together use a tenth of it at a time. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * The folder for everything that tests write: in memory if there is room, because tests often start with a new database. It is
 * removed as a whole, because workers are ended without cleanup.
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
