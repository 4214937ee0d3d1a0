import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../kernel/log/log.ts';
import { pauseAfter } from '../../../kernel/outbound/backoff.ts';
import type { DeliveryResult, DeliveryResultStore, WebhookState, WebhookStates } from './delivery-result.store.ts';

const BATCH = 500;
/**
 * Time for which results are collected before one statement writes them together. The fixed cost of a statement is as high as the cost of
 * writing twenty results.
 */
const REST_MS = 10;
/**
 * Number of results of one webhook at which all collected results are written immediately. If they were written later,
 * the queue of this webhook would reach its limit of unrecorded results and wait.
 */
const ENOUGH = 8;
const RETRIES = { firstMs: 100, factor: 2, maxMs: 2000 };

interface PendingResult {
  result: DeliveryResult;
  resolve(state: WebhookState | undefined): void;
  reject(error: unknown): void;
}

/**
 * Writes the results of attempts to the database, for all webhooks together. Results are collected for REST_MS and
 * while the previous statement runs. If a queue waits for its results, they are written without this delay. A failed
 * write is repeated until it succeeds or the process stops. If the process ends before a result is written, the
 * delivery is sent again.
 */
export class DeliveryResultWriter {
  readonly #waiting: PendingResult[] = [];
  /** Number of results of each webhook, by webhook id, that are collected and not yet written. */
  readonly #gathered = new Map<string, number>();
  #isFlushing = false;
  #endRest: (() => void) | undefined;
  #isRunning = false;
  #isStopped = false;

  constructor(
    private readonly store: Pick<DeliveryResultStore, 'write'>,
    /** Called after results were written. */
    private readonly written: () => void,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#isStopped = false;
  }

  /**
   * Writes a result. Resolves to the state of the webhook after the write, or to undefined if the webhook was deleted.
   * @throws the error of the database if the database is unavailable while the process stops
   */
  write(result: DeliveryResult): Promise<WebhookState | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ result, resolve, reject });
      const { webhookId } = result.lease;
      const gathered = (this.#gathered.get(webhookId) ?? 0) + 1;
      this.#gathered.set(webhookId, gathered);
      if (gathered >= ENOUGH) this.flush();
      if (!this.#isRunning) void this.#drain();
    });
  }

  /** Writes the collected results without further delay, because a queue waits for them. */
  flush(): void {
    this.#isFlushing = this.#waiting.length > 0;
    this.#endRest?.();
  }

  /** Turns off retries: a failed write is not repeated, so that stopping does not wait for an unavailable database. */
  stop(): void {
    this.#isStopped = true;
  }

  async #drain(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      if (!this.#isFlushing) await this.#rest();
      const batch = this.#waiting.splice(0, BATCH);
      this.#gathered.clear();
      this.#isFlushing = this.#waiting.length > 0;
      try {
        const states = await this.#writeBatch(batch.map(({ result }) => result));
        this.written();
        for (const { result, resolve } of batch) resolve(states.get(result.lease.webhookId));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isRunning = false;
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, REST_MS);
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #writeBatch(batch: readonly DeliveryResult[]): Promise<WebhookStates> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.store.write(batch);
      } catch (error) {
        if (this.#isStopped) throw error;
        this.log.error({ err: error, attempts: batch.length }, 'results of deliveries could not be recorded and will be written again');
        await delay(pauseAfter(failures, RETRIES));
      }
    }
  }
}
