import { setTimeout as delay } from 'node:timers/promises';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import { openSecrets } from '../webhooks/webhook-secret.ts';
import type { WebhookLease } from './delivery.store.ts';
import type { DeliveryResultWriter } from './delivery-result-writer.ts';
import type { DeliverySender } from './delivery-sender.ts';
import { leaseEnd, WebhookQueue, type WebhookQueueDeps } from './webhook-queue.ts';

/**
 * Maximum number of deliveries that all queues of the process together load into memory. Each queue may load at least
 * one delivery, even above this limit.
 */
const HELD = 5000;
const PAGE = 100;
const STOP_GRACE_MS = 3000;
const FAILED_MS = 500;
/** Time for which the deliveries of a suspended organization wait before the suspension is checked again. */
const SUSPENDED_MS = 10_000;

export interface WebhookQueuesDeps extends WebhookQueueDeps {
  sender: DeliverySender;
  results: DeliveryResultWriter;
  secrets: SecretBox;
}

interface Running {
  /** True if the queue was woken while it was running. It must then check for due deliveries again. */
  again: boolean;
  queue?: WebhookQueue;
}

/**
 * Manages the queues of all webhooks. Only one process at a time works on a queue. First attempts of a queue are made
 * one after the other in the order of the log. Retries are made in parallel. Queues do not wait for each other and
 * their number is unlimited, so a slow receiver delays only its own deliveries.
 */
export class WebhookQueues {
  readonly #running = new Map<string, Running>();
  readonly #idle: (() => void)[] = [];
  #isStopped = true;

  constructor(private readonly deps: WebhookQueuesDeps) {}

  start(): void {
    this.#isStopped = false;
    this.deps.results.start();
  }

  /** Signals that a delivery to a webhook may be due. */
  wake(webhookId: string): void {
    if (this.#isStopped) return;
    const running = this.#running.get(webhookId);
    if (!running) return void this.#run(webhookId);
    running.again = true;
    running.queue?.wake();
  }

  /**
   * Stops all queues. Running attempts have a few seconds to finish, and are then interrupted. Deliveries of
   * interrupted attempts stay due.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { queue } of this.#running.values()) queue?.end();
    this.deps.results.stop();
    const cutOff = setTimeout(() => void this.deps.sender.stop(), STOP_GRACE_MS);
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    clearTimeout(cutOff);
    await this.deps.sender.stop();
  }

  async #run(webhookId: string): Promise<void> {
    const state: Running = { again: false };
    this.#running.set(webhookId, state);
    try {
      const { store, clock } = this.deps;
      const now = clock.now();
      const lease = await store.acquire(webhookId, now, leaseEnd(now));
      if (lease && (await this.deps.isSuspended(lease.organizationId))) await store.postpone(lease, new Date(now.getTime() + SUSPENDED_MS));
      else if (lease) await this.#work(lease, state);
    } catch (error) {
      if (!this.#isStopped) this.deps.log.error({ webhook: webhookId, err: error }, 'deliveries to a webhook failed and will be retried');
    }
    this.#running.delete(webhookId);
    if (this.#running.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    if (state.again) this.wake(webhookId);
  }

  async #work(lease: WebhookLease, state: Running): Promise<void> {
    const { secrets, clock } = this.deps;
    try {
      const queue = new WebhookQueue(this.deps, lease, openSecrets(secrets, lease.webhookId, lease, clock.now()), () => this.#share());
      state.queue = queue;
      if (this.#isStopped) queue.end();
      do {
        await queue.deliver();
        // the transactions of all wake-ups so far have committed, so releasing the lease reads their changes
        state.again = false;
      } while (await this.#renewOrRelease(lease, queue, state));
    } catch (error) {
      await this.#release(lease);
      throw error;
    }
  }

  async #renewOrRelease(lease: WebhookLease, queue: WebhookQueue, state: Running): Promise<boolean> {
    const now = this.deps.clock.now();
    const later = leaseEnd(now);
    const { isKept, dueAt } = await this.deps.store.release(lease, queue.isOver ? null : later);
    if (isKept) lease.until = later;
    // after attempts, the queue continues immediately, for example with the new settings of a changed webhook; without
    // attempts, the poll wakes the queue later
    else if (dueAt && dueAt <= now && queue.made > 0) state.again = true;
    return isKept;
  }

  /** Releases the lease after a failure. If the database is unavailable, retries until the lease has expired. */
  async #release(lease: WebhookLease): Promise<void> {
    const { store, clock } = this.deps;
    for (;;) {
      try {
        return void (await store.release(lease, null));
      } catch (error) {
        if (this.#isStopped || clock.now() >= lease.until) throw error;
        await delay(FAILED_MS);
      }
    }
  }

  #share(): number {
    return Math.max(1, Math.min(PAGE, Math.floor(HELD / this.#running.size)));
  }
}
