import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
/** What all tests together have at a time is a tenth of it. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Where the tests of a run keep what they write: in memory where there is room, since they begin with a new database many times.
 * It is removed as a whole: workers are ended without a chance to do that.
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
