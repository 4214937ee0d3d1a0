import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** Creates a temporary folder that is removed when the process ends. Measurements and tests use it. */
export function scratchFolder(): string {
  if (folders.length === 0) process.once('exit', () => folders.forEach(remove));
  const folder = mkdtempSync(join(tmpdir(), 'telecom-platform-'));
  folders.push(folder);
  return folder;
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true });
