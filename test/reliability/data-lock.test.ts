import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockDataFolder } from '../../apps/platform/data-lock.ts';
import { RunningProcess, temporaryFolder } from '../support/process.ts';

const fileIn = (folder: string) => join(folder, 'platform.lock');
const holderIn = (folder: string) =>
  JSON.parse(readFileSync(fileIn(folder), 'utf8')) as { pid: number; started: string; host: string; token: string };
const alter = (folder: string, change: Partial<ReturnType<typeof holderIn>>) =>
  writeFileSync(fileIn(folder), JSON.stringify({ ...holderIn(folder), ...change }));

/** A process that runs until it is killed. */
const bystander = () => new RunningProcess(['-e', 'setInterval(() => {}, 1000)']);

test('a data folder is locked by one process at a time and free after its release', async () => {
  const folder = temporaryFolder();
  const first = await lockDataFolder(folder);
  await expect(lockDataFolder(folder)).rejects.toThrow(`The data folder ${folder} is in use by process ${process.pid}.`);
  first.release();
  (await lockDataFolder(folder)).release();
});

test('locking a data folder creates it with access for its owner only', async () => {
  const folder = join(temporaryFolder(), 'not', 'yet');
  const lock = await lockDataFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  lock.release();
});

test('the folder lock of a killed process is taken over', async () => {
  const folder = temporaryFolder();
  const holder = bystander();
  await lockDataFolder(folder);
  alter(folder, { pid: holder.pid });
  holder.kill('SIGKILL');
  await holder.exited;

  const lock = await lockDataFolder(folder);
  expect(holderIn(folder).pid).toBe(process.pid);
  lock.release();
});

test.runIf(process.platform === 'linux')(
  'the folder lock of a killed process is taken over even if another process has its pid',
  async () => {
    const folder = temporaryFolder();
    const other = bystander();
    await lockDataFolder(folder);
    alter(folder, { pid: other.pid, started: '1' });
    (await lockDataFolder(folder)).release();
  },
);

test('the folder lock of another machine or container is respected while its file is refreshed', async () => {
  const folder = temporaryFolder();
  await lockDataFolder(folder);
  alter(folder, { host: 'another-container' });
  await expect(lockDataFolder(folder)).rejects.toThrow('is in use');

  const past = new Date(Date.now() - 60_000);
  utimesSync(fileIn(folder), past, past);
  (await lockDataFolder(folder)).release();
});

test('of several processes that find a stale folder lock one gets it', async () => {
  const folder = temporaryFolder();
  await lockDataFolder(folder);
  alter(folder, { started: '1' });
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => lockDataFolder(folder)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a folder lock that a crash left half written is taken over', async () => {
  const folder = temporaryFolder();
  writeFileSync(fileIn(folder), '{"pid": 1');
  (await lockDataFolder(folder)).release();
});

test('a process that lost its folder lock does not remove the lock of its successor', async () => {
  const folder = temporaryFolder();
  const first = await lockDataFolder(folder);
  alter(folder, { token: 'successor' });
  first.release();
  expect(holderIn(folder).token).toBe('successor');
});
