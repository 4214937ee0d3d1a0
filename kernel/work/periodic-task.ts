import type { Logger } from '../log/log.ts';

export interface PeriodicTaskSchedule {
  /** Identifies the task in log lines, such as `support.attachments`. */
  name: string;
  everyMs: number;
  log: Logger;
}

/**
 * Runs background work at an interval, such as the deletion of expired rows. Runs never overlap, and a failed run is
 * repeated at the next interval. `stop` aborts the signal of the current run, so that a long run ends before its work
 * is complete. Use a sweeper (kernel/records/due.ts) for rows that have a due time.
 */
export abstract class PeriodicTask {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  constructor(private readonly schedule: PeriodicTaskSchedule) {}

  /** Runs the task once, immediately. */
  abstract run(stopping?: AbortSignal): Promise<void>;

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.#attempt().finally(() => {
        this.#running = undefined;
      });
    }, this.schedule.everyMs).unref();
  }

  /** Stops the task. Resolves when the current run has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  async #attempt(): Promise<void> {
    const { name, log } = this.schedule;
    try {
      await this.run(this.#stopping.signal);
    } catch (error) {
      log.warn({ err: error, task: name }, 'a periodic task failed and will be tried again');
    }
  }
}

/** A periodic task whose work is one function. */
export class PeriodicFunction extends PeriodicTask {
  constructor(
    schedule: PeriodicTaskSchedule,
    private readonly task: (stopping: AbortSignal | undefined) => Promise<void>,
  ) {
    super(schedule);
  }

  override run(stopping?: AbortSignal): Promise<void> {
    return this.task(stopping);
  }
}
