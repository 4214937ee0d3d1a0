import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { DatabaseTarget } from '../../kernel/database/database.ts';

const PROGRAM = fileURLToPath(new URL('./delivery-process.mjs', import.meta.url));

/** The events domain in its own process (delivery-process.mjs), which tests can kill. It needs dist/ from `npm test`. */
export class DeliveryProcess {
  private constructor(private readonly child: ChildProcess) {
    onTestFinished(() => this.kill());
  }

  static async start(target: DatabaseTarget, clockMs = 0): Promise<DeliveryProcess> {
    const { PATH = '', HOME = '' } = process.env;
    const child = fork(PROGRAM, [JSON.stringify({ target, clockMs })], {
      env: { PATH, HOME },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
    });
    const started = new DeliveryProcess(child);
    await started.#response('ready');
    return started;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  subscribe(...urls: string[]): Promise<void> {
    return this.#send({ name: 'subscribe', urls });
  }

  /** Records `count` events. Resolves when they are committed. */
  record(from: number, count: number): Promise<void> {
    return this.#send({ name: 'record', from, count });
  }

  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  async #send(command: object): Promise<void> {
    this.child.send(command);
    await this.#response('done');
  }

  async #response(expected: string): Promise<void> {
    const exited = once(this.child, 'exit').then(() => ['The process ended.']);
    const [response] = await Promise.race([once(this.child, 'message'), exited]);
    if (response !== expected) throw new Error(String(response));
  }
}
