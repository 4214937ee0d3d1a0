import type { Clock } from './clock.ts';
import type { Logger } from './log.ts';
import { Pump } from './pump.ts';

const DEFAULT_LIMIT = 100;

export interface SweeperDeps {
  /** Names its log lines, such as `support.sla`. */
  name: string;
  clock: Clock;
  log: Logger;
  /** How many rows one sweep takes at most. */
  limit?: number;
}

/**
 * Handles what is due at `now`, the earliest first, at most `limit` rows, and answers how many it took. All processes sweep side
 * by side, so it takes its rows with `for update skip locked` and does them in that transaction: what commits is done once. A
 * row that cannot be handled must be moved out of the way (a later due instant), else it is taken first for ever.
 */
export type Sweep = (now: Date, limit: number) => Promise<number>;

/**
 * Looks once a second for what falls due at a stored instant, such as a service level that is breached, and has it handled. A
 * full sweep is followed by the next one at once; one never begins before the last has ended; one that fails is logged and
 * tried again. It asks the clock each time, so that a clock that is moved counts within a second. What merely has to happen
 * soon after a transaction is a job instead (kernel/jobs.ts).
 */
export class Sweeper {
  readonly #pump: Pump;

  constructor({ name, clock, log, limit = DEFAULT_LIMIT }: SweeperDeps, sweep: Sweep) {
    this.#pump = new Pump(async () => (await sweep(clock.now(), limit)) >= limit, log.child({ sweeper: name }));
  }

  start(): void {
    this.#pump.start();
  }

  /** Resolves when the sweep that is under way has ended; none begins after. */
  stop(): Promise<void> {
    return this.#pump.stop();
  }
}
