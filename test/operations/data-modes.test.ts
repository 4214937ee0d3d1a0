import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { originOf, type RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';

/** Paths whose mode is not 0700 for a folder or 0600 for a file. */
function open(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => !entry.isSymbolicLink());
  const paths = [folder, ...entries.map(({ parentPath, name }) => join(parentPath, name))];
  return paths.filter((path) => {
    const stat = lstatSync(path);
    return (stat.mode & 0o777) !== (stat.isDirectory() ? 0o700 : 0o600);
  });
}

function loosen(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) loosen(path);
    else if (entry.isFile()) chmodSync(path, 0o644);
  }
  chmodSync(folder, 0o755);
}

async function stop(platform: RunningProcess): Promise<void> {
  platform.kill('SIGTERM');
  expect((await platform.exited).code).toBe(0);
}

test.runIf(process.platform !== 'win32')(
  "the platform makes its data folder accessible to the folder's owner only, even if other users had access before",
  async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const first = runPlatform(['--port', '0', '--data', dataDir]);
    const origin = await originOf(first);
    const key = /API key +(\S+)/.exec(first.stdout)?.[1] ?? '';
    const attachments = [{ filename: 'log.txt', content_type: 'text/plain', data: Buffer.from('down').toString('base64') }];
    await openTicket(new Tenant(origin, '', key), { attachments });
    expect(open(dataDir)).toEqual([]);
    await stop(first);

    loosen(dataDir);
    mkdirSync(join(dataDir, 'mail'), { recursive: true });
    writeFileSync(join(dataDir, 'mail', 'of-before.eml'), 'To: you', { mode: 0o644 });
    const elsewhere = join(temporaryFolder(), 'elsewhere');
    writeFileSync(elsewhere, '', { mode: 0o644 });
    symlinkSync(elsewhere, join(dataDir, 'link'));
    const second = runPlatform(['--port', '0', '--data', dataDir]);
    await originOf(second);
    expect(open(dataDir)).toEqual([]);
    expect(lstatSync(elsewhere).mode & 0o777).toBe(0o644);
    await stop(second);
  },
  180_000,
);
