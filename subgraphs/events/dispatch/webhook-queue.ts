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

/** A lease ends by itself this long after its process went silent. What is left of it is longer than an attempt may take. */
export const LEASE_MS = 30_000;
/** First attempts that were made and are not recorded yet: what a kill repeats. */
const AHEAD = 16;
/** Retries at a time, beside the first attempts. */
const RETRIES = 4;
/** So long first attempts are made from one look at what is due, so that retries do not wait behind many slow ones. */
const LOOK_MS = 1000;

export interface WebhookQueueDeps {
  store: DeliveryStore;
  results: Pick<DeliveryResultWriter, 'write' | 'flush'>;
  sender: Pick<DeliverySender, 'send'>;
  clock: Clock;
  log: Logger;
  /** Whether deliveries of an organization wait. */
  isSuspended: IsSuspended;
  metrics?: Pick<Metrics, 'webhookDuration'> | undefined;
}

/** Delivers to one webhook while this process holds its lease. */
export class WebhookQueue {
  /** No more posts: the webhook changed, was stopped or deleted, or the lease was lost. */
  isOver = false;
  /** How many attempts were made. */
  made = 0;
  /** First attempts that were made, until they are recorded, by the delivery's id; none rejects. */
  readonly #unrecorded = new Map<string, Promise<void>>();
  /** Until they are recorded, in the same way. */
  readonly #retries = new Map<string, Promise<void>>();
  #failure: unknown;
  /** A first attempt was recorded. */
  #advanced = Promise.withResolvers<void>();
  #woken = Promise.withResolvers<void>();

  constructor(
    private readonly deps: WebhookQueueDeps,
    private readonly lease: WebhookLease,
    private readonly secrets: Secrets,
    /** How many first attempts it may hold in memory. */
    private readonly share: () => number,
  ) {}

  /** Something may have become due. */
  wake(): void {
    this.#woken.resolve();
  }

  /** No more posts; those that are under way may end. */
  end(): void {
    this.isOver = true;
    this.wake();
  }

  /** Delivers until nothing is due, or it is over, and all that was made is recorded. @throws where the database failed, or an attempt was cut off */
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

  /** What is due and not under way: by what is unrecorded as it begins to look, for what is recorded later may be seen as it was. */
  async #findDue(): Promise<DueDeliveries & { isAll: boolean }> {
    const { store, clock } = this.deps;
    const underWay = new Set([...this.#unrecorded.keys(), ...this.#retries.keys()]);
    const limits = { firsts: this.share() + this.#unrecorded.size, retries: RETRIES };
    const { firsts, retries } = await store.due(this.lease.webhookId, clock.now(), limits);
    const isNew = ({ id }: Due): boolean => !underWay.has(id);
    return { firsts: firsts.filter(isNew), retries: retries.filter(isNew), isAll: firsts.length < limits.firsts };
  }

  /** Waits for the records of first attempts. */
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

  /** One after the other, running ahead of their records by a few. */
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

  /** False where the lease is over. */
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

  /** Undefined where the attempt was cut off: then nobody knows what came of it. */
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
    if (outcome.status === DeliveryStatus.DELIVERED) log.debug(fields, 'delivered');
    else log.info({ ...fields, next: outcome.nextAttemptAt }, 'a delivery failed');
  }
}

export const leaseEnd = (now: Date): Date => new Date(now.getTime() + LEASE_MS);

/** A webhook that was inactive for longer than the log keeps events gets the rest. */
const leftTheLog = (at: Date): Pick<DeliveryResult, 'attempt' | 'outcome'> => ({
  attempt: { at, durationMs: 0, status: null, body: null, error: 'the event has left the log', retryAfterMs: 0 },
  outcome: { status: DeliveryStatus.SKIPPED, nextAttemptAt: null },
});
