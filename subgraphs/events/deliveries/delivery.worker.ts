import type { Clock } from '../../../kernel/clock.ts';
import type { Jobs } from '../../../kernel/jobs.ts';
import type { Logger } from '../../../kernel/log.ts';
import { Pump } from '../../../kernel/pump.ts';
import type { DeliveryLanes } from './delivery.lanes.ts';
import { type DeliveryStore, RETRY_QUEUE, type RetryJob } from './delivery.store.ts';

export interface WorkerDeps {
  store: DeliveryStore;
  lanes: DeliveryLanes;
  jobs: Jobs;
  clock: Clock;
  log: Logger;
}

/** What wakes the lanes: new events, the jobs of retries, and every second a look at what neither of them woke. */
export class DeliveryWorker {
  readonly #sweeper: Pump;

  constructor(private readonly deps: WorkerDeps) {
    const { jobs, lanes, log } = deps;
    jobs.define<RetryJob>(RETRY_QUEUE, async ({ webhookId }) => lanes.wake(webhookId));
    this.#sweeper = new Pump(() => this.#sweep(), log);
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
    for (const id of await store.overdue(clock.now())) lanes.wake(id);
    return false;
  }
}
