import type { Clock } from '../../../kernel/clock.ts';
import type { Logger } from '../../../kernel/log.ts';
import { Pump } from '../../../kernel/pump.ts';
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
  readonly #sweeper: Pump;

  constructor(private readonly deps: WorkerDeps) {
    this.#sweeper = new Pump(() => this.#sweep(), deps.log);
  }

  start(): void {
    this.deps.lanes.start();
    this.#sweeper.start();
  }

  async stop(): Promise<void> {
    await this.#sweeper.stop();
    await this.deps.lanes.stop();
  }

  async #sweep(): Promise<boolean> {
    const { store, lanes, clock } = this.deps;
    const now = clock.now();
    for (const id of await store.waiting(now, leaseEnd(now))) lanes.wake(id);
    return false;
  }
}
