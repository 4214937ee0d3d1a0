import type { Clock } from '../../../kernel/clock.ts';
import type { WorkPoller } from '../../../kernel/work/work-poller.ts';
import type { DeliveryLanes } from './delivery.lanes.ts';
import type { DeliveryStore } from './delivery.store.ts';
import { leaseEnd } from './delivery.turn.ts';

export interface WorkerDeps {
  store: DeliveryStore;
  lanes: DeliveryLanes;
  clock: Clock;
  poller: WorkPoller;
}

/** Starts and stops the lanes, and wakes them for what is due and nobody woke them for: retries, and what a process that ended left. */
export class DeliveryWorker {
  #stopPolling: (() => void) | undefined;

  constructor(private readonly deps: WorkerDeps) {}

  start(): void {
    const { store, lanes, clock, poller } = this.deps;
    lanes.start();
    this.#stopPolling = poller.add({
      name: 'events.deliveries',
      query: store.waiting,
      values() {
        const now = clock.now();
        return store.waitingAt(now, leaseEnd(now));
      },
      found(ids) {
        for (const id of ids) lanes.wake(id);
      },
      clock,
    });
    poller.pollNow();
  }

  async stop(): Promise<void> {
    this.#stopPolling?.();
    await this.deps.lanes.stop();
  }
}
