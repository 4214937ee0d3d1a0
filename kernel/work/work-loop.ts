import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log/log.ts';

const FAILED_MS = 500;
/**
 * Pause before the next run, if the loop was woken during a run. During the pause more work can arrive, which the next
 * run handles as a batch.
 */
const REST_MS = 10;

/**
 * Runs a task when the loop is woken. The task runs again while it reports more work, and half a second after a
 * failure. Only one run is active at a time.
 * The relay, the log consumers and the sweepers use such loops. Notifications wake a loop. The `WorkPoller` of the
 * database wakes it for work that has become due, or if a notification was lost.
 */
export class WorkLoop {
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly task: () => Promise<boolean>,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#stopped = false;
    this.wake();
  }

  wake(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Stops the loop. Resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        if (await this.task()) this.#again = true;
        else if (this.#again) await delay(REST_MS);
      }
    } catch (error) {
      this.#again = false;
      if (this.#stopped) return;
      this.log.error({ err: error }, 'a background task failed and will be tried again');
      this.#timer = setTimeout(() => this.wake(), FAILED_MS).unref();
    }
  }
}
