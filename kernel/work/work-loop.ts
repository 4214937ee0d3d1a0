import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log/log.ts';

const FAILED_MS = 500;
/**
 * Minimum pause before the next run. The pause is `RESTS` times as long as the last run if that is longer, up to `MAX_REST_MS`: during the
 * pause more work arrives, which the next run handles as a batch. So a busy process handles larger batches.
 */
const REST_MS = 10;
const RESTS = 2;
const MAX_REST_MS = 150;

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
  /** Time before which the next run does not begin, by `performance.now()`. It does not apply if the last run reported more work. */
  #restsUntil = 0;

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
        const rest = this.#restsUntil - performance.now();
        if (rest > 0) await delay(rest);
        if (this.#stopped) break;
        this.#again = false;
        const began = performance.now();
        if (await this.task()) this.#again = true;
        else this.#restsUntil = performance.now() + Math.min(MAX_REST_MS, Math.max(REST_MS, RESTS * (performance.now() - began)));
      }
    } catch (error) {
      this.#again = false;
      if (this.#stopped) return;
      this.log.error({ err: error }, 'a background task failed and will be tried again');
      this.#timer = setTimeout(() => this.wake(), FAILED_MS).unref();
    }
  }
}
