import type { Clock } from '../../../kernel/clock.ts';
import type { IsSuspended } from '../../../kernel/domain.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { OrganizationLog } from '../../../kernel/log/organization-log.ts';
import type { Metrics } from '../../../kernel/metrics/metrics.ts';
import { DeliveryStatus } from '../deliveries/delivery.entity.ts';
import type { Secrets } from '../webhooks/webhook-secret.ts';
import type { DeliveryStore, Due, DueDeliveries, WebhookLease } from './delivery.store.ts';
import { isGone, outcomeOf } from './delivery-outcome.ts';
import type { DeliveryResult } from './delivery-result.store.ts';
import type { DeliveryResultWriter } from './delivery-result-writer.ts';
import type { DeliverySender } from './delivery-sender.ts';

/**
 * Duration of a lease. A queue renews its lease when half of this time is left. An attempt takes less than half of this
 * duration.
 */
export const LEASE_MS = 30_000;
/**
 * Maximum number of first attempts that were made and whose results are not recorded yet. If the process is killed,
 * these attempts are repeated.
 */
const AHEAD = 16;
/** Maximum number of concurrent retries, in addition to the first attempts. */
const RETRIES = 4;
/**
 * Maximum time for which first attempts are made before due deliveries are read again. Otherwise retries that become
 * due would wait until all first attempts are made.
 */
const LOOK_MS = 1000;

export interface WebhookQueueDeps {
  store: DeliveryStore;
  results: Pick<DeliveryResultWriter, 'write' | 'flush'>;
  sender: Pick<DeliverySender, 'send'>;
  clock: Clock;
  log: Logger;
  /** Returns whether an organization is suspended. If so, its deliveries wait. */
  isSuspended: IsSuspended;
  metrics?: Pick<Metrics, 'webhookDuration'> | undefined;
  /** Log of organizations, which receives failed deliveries. */
  organizationLog?: OrganizationLog | undefined;
}

/** Makes the deliveries to one webhook while this process holds the lease of the webhook. */
export class WebhookQueue {
  /**
   * True if the queue makes no more requests: the process stops, an error occurred, the lease was lost, or the webhook
   * was changed, disabled or deleted.
   */
  isOver = false;
  /** Number of attempts that this queue has made. */
  made = 0;
  /** First attempts whose results are not recorded yet, by delivery id. The promises never reject. */
  readonly #unrecorded = new Map<string, Promise<void>>();
  /** Retries whose results are not recorded yet, by delivery id. The promises never reject. */
  readonly #retries = new Map<string, Promise<void>>();
  #failure: unknown;
  /** Resolves when the result of a first attempt is recorded. */
  #advanced = Promise.withResolvers<void>();
  #woken = Promise.withResolvers<void>();

  constructor(
    private readonly deps: WebhookQueueDeps,
    private readonly lease: WebhookLease,
    private readonly secrets: Secrets,
    /** Returns the number of deliveries that this queue may load into memory. */
    private readonly share: () => number,
  ) {}

  /** Signals that a delivery may have become due. */
  wake(): void {
    this.#woken.resolve();
  }

  /** Stops making requests. Running requests may finish. */
  end(): void {
    this.isOver = true;
    this.wake();
  }

  /**
   * Makes attempts until no delivery is due, the organization is suspended, or `isOver` is true. Then waits until all
   * results are recorded.
   * @throws Error if the database failed or an attempt was interrupted
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
   * Reads due deliveries. Leaves out deliveries whose results were not recorded before the query began, because the
   * query may return these deliveries as still due.
   */
  async #findDue(): Promise<DueDeliveries & { isAll: boolean }> {
    const { store, clock } = this.deps;
    const underWay = new Set([...this.#unrecorded.keys(), ...this.#retries.keys()]);
    const limits = { firsts: this.share() + this.#unrecorded.size, retries: RETRIES };
    const { firsts, retries } = await store.due(this.lease.webhookId, clock.now(), limits);
    const isNew = ({ id }: Due): boolean => !underWay.has(id);
    return { firsts: firsts.filter(isNew), retries: retries.filter(isNew), isAll: firsts.length < limits.firsts };
  }

  /** Waits until the results of all first attempts are recorded. */
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

  /** Makes first attempts one after the other. Waits while `AHEAD` results are not recorded yet. */
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

  /** Renews the lease if half of its time is over. Returns false if the queue must make no more requests. */
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

  /** Makes one attempt. Returns undefined if the attempt was interrupted, because its result is then unknown. */
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
    const { log, metrics, organizationLog } = this.deps;
    metrics?.webhookDuration.observe({ outcome: outcome.status }, durationMs / 1000);
    const fields = { webhook: lease.webhookId, delivery: due.id, event: due.event, attempt: due.attempt + 1, status, error };
    if (outcome.status === DeliveryStatus.DELIVERED) log.debug(fields, 'a webhook delivery succeeded');
    else {
      log.info({ ...fields, next: outcome.nextAttemptAt }, 'a webhook delivery failed');
      const reason = error ?? `the receiver responded with ${status}`;
      const next = outcome.nextAttemptAt ? 'It is retried.' : 'It is not retried.';
      organizationLog?.write({
        organizationId: lease.organizationId,
        level: outcome.nextAttemptAt ? 'warn' : 'error',
        source: 'webhook',
        message: `The delivery of ${due.event} to a webhook failed in attempt ${due.attempt + 1}: ${reason}. ${next}`,
        attributes: { ...fields, next_attempt_at: outcome.nextAttemptAt?.toISOString() ?? null, duration_ms: durationMs },
      });
    }
  }
}

export const leaseEnd = (now: Date): Date => new Date(now.getTime() + LEASE_MS);

/**
 * Returns the result of a delivery whose event is no longer in the log, because the webhook was inactive for longer
 * than events are kept.
 */
const leftTheLog = (at: Date): Pick<DeliveryResult, 'attempt' | 'outcome'> => ({
  attempt: { at, durationMs: 0, status: null, body: null, error: 'the event is no longer in the log', retryAfterMs: 0 },
  outcome: { status: DeliveryStatus.SKIPPED, nextAttemptAt: null },
});
