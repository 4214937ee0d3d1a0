import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What tests leave in the folder for temporary files is removed with it: workers are ended without a chance to do that. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'telecom-platform-tests-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
