import type { Clock } from '../../../kernel/clock.ts';
import type { WorkPoller } from '../../../kernel/work/work-poller.ts';
import type { DeliveryStore } from './delivery.store.ts';
import { leaseEnd } from './webhook-queue.ts';
import type { WebhookQueues } from './webhook-queues.ts';

export interface WorkerDeps {
  store: DeliveryStore;
  queues: WebhookQueues;
  clock: Clock;
  poller: WorkPoller;
}

/**
 * Starts and stops the queues of all webhooks. Polls for webhooks with due retries, and for webhooks whose lease has
 * expired because a process crashed. Only this poll wakes the queues of these webhooks.
 */
export class DeliveryWorker {
  #stopPolling: (() => void) | undefined;

  constructor(private readonly deps: WorkerDeps) {}

  start(): void {
    const { store, queues, clock, poller } = this.deps;
    queues.start();
    this.#stopPolling = poller.add({
      name: 'events.deliveries',
      query: store.waiting,
      values() {
        const now = clock.now();
        return store.waitingAt(now, leaseEnd(now));
      },
      found(ids) {
        for (const id of ids) queues.wake(id);
      },
      clock,
    });
    poller.pollNow();
  }

  async stop(): Promise<void> {
    this.#stopPolling?.();
    await this.deps.queues.stop();
  }
}
