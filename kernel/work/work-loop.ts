import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log/log.ts';

const FAILED_MS = 500;
/** Wake-ups during a run cause one more run, after this pause. Under load that run finds a batch. */
const REST_MS = 10;

/**
 * Runs one task at a time: when it is woken, again while the task reports more work, and soon after a failure.
 * Every consumer of a table uses it: relay, log consumers, webhook deliveries. Notifications wake it, and the `WorkPoller` of its database
 * in case a notification was lost.
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

  /** Resolves when the current run has ended. No further run starts. */
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
