import type { Clock } from '../../../kernel/clock.ts';
import type { IsSuspended } from '../../../kernel/domain.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { Metrics } from '../../../kernel/metrics/metrics.ts';
import { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import type { Secrets } from '../webhooks/webhook-secret.ts';
import type { DeliveryStore, Due, DueDeliveries, WebhookLease } from './delivery.store.ts';
import { isGone, outcomeOf } from './delivery-outcome.ts';
import type { DeliveryResult } from './delivery-result.store.ts';
import type { DeliveryResultWriter } from './delivery-result-writer.ts';
import type { DeliverySender } from './delivery-sender.ts';

/** Duration of a lease. Queues renew it when half of it is left, which is still longer than an attempt. */
export const LEASE_MS = 30_000;
/** Maximum number of first attempts that are made but not recorded yet. A killed process repeats them. */
const AHEAD = 16;
/** Maximum number of concurrent retries, in addition to the first attempts. */
const RETRIES = 4;
/** How long first attempts are made before due deliveries are read again, so that retries do not wait behind many slow first attempts. */
const LOOK_MS = 1000;

export interface WebhookQueueDeps {
  store: DeliveryStore;
  results: Pick<DeliveryResultWriter, 'write' | 'flush'>;
  sender: Pick<DeliverySender, 'send'>;
  clock: Clock;
  log: Logger;
  /** Whether the organization is suspended, so that its deliveries wait. */
  isSuspended: IsSuspended;
  metrics?: Pick<Metrics, 'webhookDuration'> | undefined;
}

/** Delivers to one webhook while this process holds its lease. */
export class WebhookQueue {
  /** No more requests are made: the webhook was changed, disabled or deleted, or the lease was lost. */
  isOver = false;
  /** Number of attempts made. */
  made = 0;
  /** First attempts whose results are not recorded yet, by delivery id. The promises never reject. */
  readonly #unrecorded = new Map<string, Promise<void>>();
  /** Retries whose results are not recorded yet, likewise. */
  readonly #retries = new Map<string, Promise<void>>();
  #failure: unknown;
  /** Resolved when a first attempt is recorded. */
  #advanced = Promise.withResolvers<void>();
  #woken = Promise.withResolvers<void>();

  constructor(
    private readonly deps: WebhookQueueDeps,
    private readonly lease: WebhookLease,
    private readonly secrets: Secrets,
    /** Number of first attempts that it may load into memory. */
    private readonly share: () => number,
  ) {}

  /** Signals that something may have become due. */
  wake(): void {
    this.#woken.resolve();
  }

  /** Stops making requests; running ones may finish. */
  end(): void {
    this.isOver = true;
    this.wake();
  }

  /**
   * Delivers until nothing is due or the queue is over, and all results are recorded.
   * @throws if the database failed or an attempt was interrupted
   */
  async deliver(): Promise<void> {
    try {
      while (!this.isOver) {
        if (await this.deps.isSuspended(this.lease.organizationId)) break;
        this.#woken = Promise.withResolvers();
        const { firsts, retries, isAll } = await this.#findDue();
        this.#startRetries(retries);
        if (firsts.length > 0) await this.#makeFirsts(firsts);
        else if (this.#unrecorded.size === 0 && this.#retries.size === 0) break;
        else if (this.#unrecorded.size === 0) await Promise.race([this.#woken.promise, ...this.#retries.values()]);
        if (isAll) await this.#recorded();
      }
    } catch (error) {
      this.#fail(error);
    }
    await this.#recorded();
    await Promise.all(this.#retries.values());
    if (this.#failure) throw this.#failure;
  }

  /**
   * Reads due deliveries and leaves out those that were unrecorded when the query began, because the query may see them as they
   * were before.
   */
  async #findDue(): Promise<DueDeliveries & { isAll: boolean }> {
    const { store, clock } = this.deps;
    const underWay = new Set([...this.#unrecorded.keys(), ...this.#retries.keys()]);
    const limits = { firsts: this.share() + this.#unrecorded.size, retries: RETRIES };
    const { firsts, retries } = await store.due(this.lease.webhookId, clock.now(), limits);
    const isNew = ({ id }: Due): boolean => !underWay.has(id);
    return { firsts: firsts.filter(isNew), retries: retries.filter(isNew), isAll: firsts.length < limits.firsts };
  }

  /** Waits until the results of first attempts are recorded. */
  async #recorded(): Promise<void> {
    if (this.#unrecorded.size === 0) return;
    this.deps.results.flush();
    await Promise.all(this.#unrecorded.values());
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.isOver = true;
  }

  #startRetries(due: readonly Due[]): void {
    for (const retry of due) {
      if (this.#retries.size >= RETRIES) return;
      const made = this.#send(retry).then((result) => this.#record(result));
      this.#retries.set(retry.id, made);
      void made.then(() => this.#retries.delete(retry.id));
    }
  }

  /** Makes first attempts one after the other. At most AHEAD of them are unrecorded at a time. */
  async #makeFirsts(firsts: readonly Due[]): Promise<void> {
    const until = performance.now() + LOOK_MS;
    for (const first of firsts) {
      if (!(await this.#renewLease())) return;
      const recorded = this.#record(await this.#send(first));
      this.#unrecorded.set(first.id, recorded);
      void recorded.then(() => this.#advance(first));
      if (this.#unrecorded.size >= AHEAD) await this.#advanced.promise;
      if (this.isOver || performance.now() > until) return;
    }
  }

  #advance({ id }: Due): void {
    this.#unrecorded.delete(id);
    this.#advanced.resolve();
    this.#advanced = Promise.withResolvers();
  }

  /** Renews the lease if needed. Returns false if the queue is over. */
  async #renewLease(): Promise<boolean> {
    const { store, clock } = this.deps;
    const now = clock.now();
    if (!this.isOver && this.lease.until.getTime() - now.getTime() <= LEASE_MS / 2) {
      const until = leaseEnd(now);
      if (!(await store.extend(this.lease, until))) this.isOver = true;
      this.lease.until = until;
    }
    return !this.isOver;
  }

  /** Makes an attempt. Returns undefined if it was interrupted; its result is unknown then. */
  async #send(due: Due): Promise<DeliveryResult | undefined> {
    const { sender, clock } = this.deps;
    const { lease, secrets } = this;
    if (due.payload === null) return { due, lease, ...leftTheLog(clock.now()) };
    try {
      const attempt = await sender.send({ ...due, url: lease.url, payload: due.payload, secrets });
      if (isGone(attempt)) this.isOver = true;
      return { due, lease, attempt, outcome: outcomeOf(attempt, due.attempt + 1, clock.now()) };
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  async #record(result: DeliveryResult | undefined): Promise<void> {
    if (!result) return;
    this.made += 1;
    this.#log(result);
    try {
      const state = await this.deps.results.write(result);
      const isUnchanged = state?.active && state.updatedAt.getTime() === this.lease.updatedAt.getTime();
      if (isUnchanged) this.lease.failingSince = state.failingSince;
      else this.isOver = true;
    } catch (error) {
      this.#fail(error);
    }
  }

  #log({ due, lease, attempt: { status, error, durationMs }, outcome }: DeliveryResult): void {
    const { log, metrics } = this.deps;
    metrics?.webhookDuration.observe({ outcome: outcome.status }, durationMs / 1000);
    const fields = { webhook: lease.webhookId, delivery: due.id, event: due.event, attempt: due.attempt + 1, status, error };
    if (outcome.status === DeliveryStatus.DELIVERED) log.debug(fields, 'a webhook delivery succeeded');
    else log.info({ ...fields, next: outcome.nextAttemptAt }, 'a webhook delivery failed');
  }
}

export const leaseEnd = (now: Date): Date => new Date(now.getTime() + LEASE_MS);

/** Result for an event that left the log, because the webhook was inactive for longer than events are kept. */
const leftTheLog = (at: Date): Pick<DeliveryResult, 'attempt' | 'outcome'> => ({
  attempt: { at, durationMs: 0, status: null, body: null, error: 'the event is no longer in the log', retryAfterMs: 0 },
  outcome: { status: DeliveryStatus.SKIPPED, nextAttemptAt: null },
});
