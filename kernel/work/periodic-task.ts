import type { Logger } from '../log/log.ts';

export interface PeriodicTaskSchedule {
  /** Names its log lines, such as `support.attachments`. */
  name: string;
  everyMs: number;
  log: Logger;
}

/**
 * Does something every so often that nobody waits for, such as deleting what is kept no longer: never beside itself, and again
 * at its next time where it failed. What takes long ends when it is told to stop. What is due at a stored instant is a sweeper's (kernel/records/due.ts).
 */
export abstract class PeriodicTask {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #stopping = new AbortController();

  constructor(private readonly schedule: PeriodicTaskSchedule) {}

  /** Once, now. */
  abstract run(stopping?: AbortSignal): Promise<void>;

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.#attempt().finally(() => {
        this.#running = undefined;
      });
    }, this.schedule.everyMs).unref();
  }

  /** Resolves when what is under way has ended; nothing begins after. */
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
