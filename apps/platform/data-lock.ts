import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from './start-error.ts';

const FILE = 'platform.lock';
const HEARTBEAT_MS = 5_000;
const SILENT_AFTER_MS = 3 * HEARTBEAT_MS;
/**
 * Time to wait after overwriting a stale lock file. Another process that found the same stale lock file may overwrite it within this time.
 */
const SETTLE_MS = 50;

interface Holder {
  pid: number;
  /**
   * Start time of the process according to the operating system. Null if this time cannot be read. A later process with
   * the same process id has another start time.
   */
  started: string | null;
  /**
   * Host name of the process. The id of a process on another host or container cannot be checked. For a process on another host, the age of
   * the lock file shows whether the process is alive.
   */
  host: string;
  token: string;
}

export class DataFolderInUse extends StartError {
  constructor(folder: string, pid: number) {
    super(`The data folder ${folder} is in use by process ${pid}. Stop it, or choose another folder with --data.`);
  }
}

export interface DataLock {
  release(): void;
}

/**
 * Locks a folder for this process, because two processes that use the same embedded database would destroy it. Takes
 * over the lock of a killed process.
 * @throws DataFolderInUse
 */
export async function lockDataFolder(folder: string): Promise<DataLock> {
  makeFolder(folder);
  const file = join(folder, FILE);
  const mine: Holder = { pid: process.pid, started: startOf(process.pid), host: hostname(), token: randomUUID() };
  if (!create(file, mine)) await takeOver(file, folder, mine);

  const heartbeat = setInterval(() => touch(file), HEARTBEAT_MS).unref();
  return {
    release() {
      clearInterval(heartbeat);
      if (read(file)?.token === mine.token) rmSync(file, { force: true });
    },
  };
}

/**
 * Creates a folder and its parents one by one: on some file systems (/proc), the recursive mkdir of Node never returns.
 */
function makeFolder(folder: string): void {
  const parent = dirname(resolve(folder));
  if (!existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(folder).isDirectory()) return;
    throw new StartError(`The data folder ${folder} cannot be used: ${(error as Error).message}.`, { cause: error });
  }
}

function create(file: string, holder: Holder): boolean {
  try {
    writeFileSync(file, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new StartError(`The data folder cannot be written to: ${message}.`, { cause: error });
  }
}

async function takeOver(file: string, folder: string, mine: Holder): Promise<void> {
  const holder = read(file);
  if (holder && lives(holder, file)) throw new DataFolderInUse(folder, holder.pid);

  const own = `${file}.${mine.token}`;
  writeFileSync(own, JSON.stringify(mine), { mode: 0o600 });
  renameSync(own, file);
  await delay(SETTLE_MS);
  const winner = read(file);
  if (winner?.token !== mine.token) throw new DataFolderInUse(folder, winner?.pid ?? 0);
}

function lives({ pid, started, host }: Holder, file: string): boolean {
  if (host !== hostname()) return Date.now() - statSync(file).mtimeMs < SILENT_AFTER_MS;
  if (!isRunning(pid)) return false;
  const now = startOf(pid);
  return started === null || now === null || started === now;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return stateOf(pid) !== ZOMBIE;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** State of a process that was killed but not yet reaped by its parent. A process in this state holds no resources. */
const ZOMBIE = 'Z';

/**
 * Reads the state (field 3) and the start time (field 22) of a process from /proc/<pid>/stat. Null if this file cannot
 * be read.
 */
const stateOf = (pid: number): string | null => statOf(pid)[0] ?? null;
const startOf = (pid: number): string | null => statOf(pid)[19] ?? null;

/**
 * Returns the fields of /proc/<pid>/stat from the third one on. The second field is the process name in parentheses,
 * which may contain any character.
 */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** Reads the lock file. Returns null if the file does not exist, or is incomplete after a crash. */
function read(file: string): Holder | null {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    return typeof holder.pid === 'number' ? (holder as Holder) : null;
  } catch {
    return null;
  }
}

function touch(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // the error is ignored: the folder was removed, and the database reports this
  }
}
