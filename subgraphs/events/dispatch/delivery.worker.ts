import type { Clock } from '../../../kernel/clock.ts';
import { Sweeper } from '../../../kernel/due.ts';
import type { Logger } from '../../../kernel/log.ts';
import type { DeliveryLanes } from './delivery.lanes.ts';
import type { DeliveryStore } from './delivery.store.ts';
import { leaseEnd } from './delivery.turn.ts';

export interface WorkerDeps {
  store: DeliveryStore;
  lanes: DeliveryLanes;
  clock: Clock;
  log: Logger;
}

/** Starts and stops the lanes, and has them look each second at what is due and nobody woke them for: retries, and what a process that ended left. */
export class DeliveryWorker {
  readonly #sweeper: Sweeper;

  constructor(private readonly deps: WorkerDeps) {
    const { clock, log } = deps;
    this.#sweeper = new Sweeper({ name: 'events.deliveries', clock, log }, (now) => this.#sweep(now));
  }

  start(): void {
    this.deps.lanes.start();
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
    await this.deps.lanes.stop();
  }

  /** The lanes do the work, so that no sweep is ever full. */
  async #sweep(now: Date): Promise<number> {
    const { store, lanes } = this.deps;
    for (const id of await store.waiting(now, leaseEnd(now))) lanes.wake(id);
    return 0;
  }
}
