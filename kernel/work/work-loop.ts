import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log/log.ts';

const FAILED_MS = 500;
/** Wake-ups that come while the task runs are answered by one more run, after this rest: under load it finds a batch. */
const REST_MS = 10;

/**
 * Runs one task at a time, again whenever it is woken, and soon where it failed. A task says whether more is left. The pattern of
 * everything that follows a table: relay, consumers, deliveries. Notifications wake it, and the `WorkPoller` of its database in
 * case one was lost.
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

  /** Resolves when the run that is under way has ended; none starts after. */
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
