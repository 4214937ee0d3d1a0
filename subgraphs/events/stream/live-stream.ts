import type { Selection } from './feed.ts';
import type { Follower } from './follower.ts';
import type { LiveQueue } from './live-queue.ts';

const PAGE = 200;
const ENDED = { done: true, value: undefined } as const;

/**
 * Iterates over the selected records of a feed after a position, in increasing order of position, without gaps or
 * repetitions. The stream first attaches a live queue. Then it reads from the feed the records up to the position at
 * which the queue begins. If the queue closes because the subscriber is slow, the stream repeats these two steps. So a
 * slow subscriber blocks no other subscriber, and memory use is limited. This class is not a generator, because the
 * `return` of a generator would wait for the next record.
 */
export class LiveStream<T extends { organizationId: string }, S extends Selection<T>> implements AsyncIterableIterator<T> {
  #queue: LiveQueue<T> | undefined;
  /** Records that were read from the feed and not returned yet. */
  #page: T[] = [];
  #hasEnded = false;

  constructor(
    private readonly follower: Follower<T, S>,
    private readonly selection: S,
    /** Position up to which the selected records were read. These records were returned, or wait in `#page`. */
    private position: number,
  ) {}

  async next(): Promise<IteratorResult<T>> {
    try {
      while (!this.#hasEnded) {
        this.#queue ??= await this.#attach();
        if (this.#queue && this.#page.length === 0 && this.position < this.#queue.from) this.#page = await this.#read(this.#queue.from);
        const value = this.#page.shift() ?? (await this.#take());
        if (value !== undefined && !this.#hasEnded) return { done: false, value };
      }
      return ENDED;
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<T>> {
    this.#hasEnded = true;
    this.#page = [];
    this.#queue?.close();
    return ENDED;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #attach(): Promise<LiveQueue<T> | undefined> {
    const queue = await this.follower.attach(this.selection);
    // true if the follower was stopped, or the subscriber closed the stream, while `attach` was running
    if (!queue || this.#hasEnded) await this.return();
    if (this.#hasEnded) queue?.close();
    return queue;
  }

  async #read(upTo: number): Promise<T[]> {
    const { feed } = this.follower;
    const page = await feed.range(this.selection, { after: this.position, upTo, limit: PAGE });
    const last = page.at(-1);
    this.position = last && page.length === PAGE ? feed.positionOf(last) : upTo;
    return page;
  }

  /**
   * Waits for the next record of the live queue. Returns undefined if this record was already read from the feed, or if
   * the queue has closed.
   */
  async #take(): Promise<T | undefined> {
    const record = await this.#queue?.next();
    if (record === undefined) this.#queue = undefined;
    else if (this.follower.feed.positionOf(record) > this.position) {
      this.position = this.follower.feed.positionOf(record);
      return record;
    }
    return undefined;
  }
}
