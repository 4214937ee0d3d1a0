import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The path of the program that a script of package.json starts. */
export const programOf = (name: string): string => fileURLToPath(new URL(`../../dist/programs/${name}.js`, import.meta.url));

const MAIN = programOf('platform');
export const MIGRATE_TOOL = programOf('migrate');
const ORIGIN = /REST +(https?:\/\/\S+)\/v1/;

/**
 * Number of connections that a platform opens for each subgraph. Two test files run at the same time, and each may start three platforms. With
 * the default number, they would need more than the 100 connections that a PostgreSQL server usually accepts.
 */
const POOL_SIZE = '1';

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A program in its own process, which is killed at the end of the test. */
export class RunningProcess {
  stdout = '';
  stderr = '';
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;

  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const { PATH = '', HOME = '' } = process.env;
    this.#child = spawn(process.execPath, args, {
      env: { PATH, HOME, LOG_LEVEL: 'warn', DATABASE_POOL_SIZE: POOL_SIZE, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.exited = once(this.#child, 'close').then(([code, signal]) => ({ code, signal, stdout: this.stdout, stderr: this.stderr }));
    onTestFinished(async () => {
      this.kill('SIGKILL');
      await this.exited;
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

/** Starts one of the programs in dist/. */
export const runProgram = (path: string, args: readonly string[], environment?: Readonly<Record<string, string>>): RunningProcess =>
  new RunningProcess([path, ...args], environment);

/** Starts the platform as `npm start` does. It needs dist/, which `npm test` builds. */
export const runPlatform = (args: readonly string[] = [], environment?: Readonly<Record<string, string>>): RunningProcess =>
  new RunningProcess([MAIN, ...args], environment);

/** Resolves to the origin that the platform prints. Rejects with the output if the platform exits before that. */
export async function originOf(platform: RunningProcess): Promise<string> {
  for (;;) {
    const origin = ORIGIN.exec(platform.stdout)?.[1];
    if (origin) return origin;
    const event = await Promise.race([platform.exited, nextTurn()]);
    if (event) throw new Error(`The platform ended with ${event.code}: ${event.stderr}${event.stdout}`);
  }
}

const POLL_MS = 10;
const nextTurn = (): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), POLL_MS));

/** Creates a folder that is deleted at the end of the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'platform-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
