import type { Database } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { WorkLoop } from '../../../kernel/work/work-loop.ts';

export interface LivePollOptions {
  name: string;
  database: Database;
  log: Logger;
  /** Returns true if there are subscribers. Without subscribers, nothing is read. */
  isWanted(): boolean;
  /** Reads what is new for all subscribers of this process. */
  read(): Promise<void>;
}

/** Reads what is new for live subscriptions, once a second for the whole process. */
export class LivePoll {
  readonly #loop: WorkLoop;
  #unsubscribe: (() => void) | undefined;

  constructor(private readonly options: LivePollOptions) {
    this.#loop = new WorkLoop(async () => {
      if (options.isWanted()) await options.read();
      return false;
    }, options.log);
  }

  start(): void {
    const { name, database, isWanted } = this.options;
    this.#unsubscribe = database.poller.add({
      name,
      query: 'select 1 where $1::boolean',
      values: () => [isWanted()],
      found: () => this.#loop.wake(),
    });
    this.#loop.start();
  }

  stop(): Promise<void> {
    this.#unsubscribe?.();
    return this.#loop.stop();
  }
}
