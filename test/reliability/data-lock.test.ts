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

/** Starts a process that runs until it is killed. */
const bystander = () => new RunningProcess(['-e', 'setInterval(() => {}, 1000)']);

test('a data folder has at most one lock at a time, and can be locked again after the lock is released', async () => {
  const folder = temporaryFolder();
  const first = await lockDataFolder(folder);
  await expect(lockDataFolder(folder)).rejects.toThrow(`The data folder ${folder} is in use by process ${process.pid}.`);
  first.release();
  (await lockDataFolder(folder)).release();
});

test('locking a data folder that does not exist creates it with access for its owner only', async () => {
  const folder = join(temporaryFolder(), 'not', 'yet');
  const lock = await lockDataFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  lock.release();
});

test('a process can lock a data folder whose lock belongs to a killed process', async () => {
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
  'a process can lock a data folder of a killed process even if another process now has the same pid',
  async () => {
    const folder = temporaryFolder();
    const other = bystander();
    await lockDataFolder(folder);
    alter(folder, { pid: other.pid, started: '1' });
    (await lockDataFolder(folder)).release();
  },
);

test('a data folder that another host has locked can be locked when the lock file was not refreshed for a minute', async () => {
  const folder = temporaryFolder();
  await lockDataFolder(folder);
  alter(folder, { host: 'another-container' });
  await expect(lockDataFolder(folder)).rejects.toThrow('is in use');

  const past = new Date(Date.now() - 60_000);
  utimesSync(fileIn(folder), past, past);
  (await lockDataFolder(folder)).release();
});

test('if four processes find a stale folder lock, one of them acquires it', async () => {
  const folder = temporaryFolder();
  await lockDataFolder(folder);
  alter(folder, { started: '1' });
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => lockDataFolder(folder)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a process can lock a data folder whose lock file is incomplete after a crash', async () => {
  const folder = temporaryFolder();
  writeFileSync(fileIn(folder), '{"pid": 1');
  (await lockDataFolder(folder)).release();
});

test('a process whose folder lock was taken over does not remove the new lock when it releases its own lock', async () => {
  const folder = temporaryFolder();
  const first = await lockDataFolder(folder);
  alter(folder, { token: 'successor' });
  first.release();
  expect(holderIn(folder).token).toBe('successor');
});
