import { ServiceUnavailable } from '../../../kernel/database/unavailable.ts';
import type { SampleStore } from './sample.store.ts';
import type { Sample, Stored } from './sample.ts';

/** Maximum number of samples that one transaction stores. */
const BATCH = 10_000;
/** Maximum number of transactions at a time. With two, the platform prepares samples while the database stores others. */
const MAX_RUNNING = 2;
/** Maximum number of waiting samples. The limit protects the memory if the database is too slow. */
const MAX_WAITING = 50_000;

interface Waiting {
  samples: readonly Sample[];
  done: PromiseWithResolvers<Stored[]>;
}

/**
 * Stores the samples of many requests in few transactions. While two transactions run, the samples of further requests wait for the next
 * transaction.
 */
export class SampleWriter {
  #waiting: Waiting[] = [];
  #count = 0;
  #running = 0;

  constructor(private readonly store: Pick<SampleStore, 'write'>) {}

  /**
   * Checks that more samples can be queued.
   * @throws ServiceUnavailable (503) if the queue is full
   */
  checkRoom(): void {
    if (this.#count >= MAX_WAITING) throw new ServiceUnavailable('The platform receives more samples than it can store. Try again.', 1);
  }

  /**
   * Stores samples. After they are committed, returns the result for each sample.
   * @throws ServiceUnavailable (503) if too many samples are waiting; no sample is stored
   */
  write(samples: readonly Sample[]): Promise<Stored[]> {
    if (samples.length === 0) return Promise.resolve([]);
    this.checkRoom();
    const done = Promise.withResolvers<Stored[]>();
    this.#waiting.push({ samples, done });
    this.#count += samples.length;
    this.#start();
    return done.promise;
  }

  #start(): void {
    if (this.#running >= MAX_RUNNING || this.#waiting.length === 0) return;
    this.#running += 1;
    void this.#store(this.#take()).finally(() => {
      this.#running -= 1;
      this.#start();
    });
  }

  async #store(batch: readonly Waiting[]): Promise<void> {
    try {
      const stored = await this.store.write(batch.flatMap(({ samples }) => samples));
      let from = 0;
      for (const { samples, done } of batch) {
        done.resolve(stored.slice(from, from + samples.length));
        from += samples.length;
      }
    } catch (error) {
      for (const { done } of batch) done.reject(error);
    } finally {
      for (const { samples } of batch) this.#count -= samples.length;
    }
  }

  /** Removes the oldest request from the queue, and further requests whose samples fit into the same transaction. */
  #take(): Waiting[] {
    let size = 0;
    const fitting = this.#waiting.findIndex(({ samples }, index) => {
      size += samples.length;
      return index > 0 && size > BATCH;
    });
    return this.#waiting.splice(0, fitting < 0 ? this.#waiting.length : fitting);
  }
}
