import type { Selection } from './feed.ts';
import type { Follower } from './follower.ts';
import type { LiveQueue } from './live-queue.ts';

const PAGE = 200;
const ENDED = { done: true, value: undefined } as const;

/**
 * The selected records of a feed from a position on, in order, without gaps or repetitions. It first attaches a live queue and
 * then reads the records before it, so that none is missed. A subscriber that is too slow for its queue repeats this; it blocks
 * nobody, and memory stays bounded. Not a generator, because a generator's `return` would wait for the next record.
 */
export class LiveStream<T extends { organizationId: string }, S extends Selection<T>> implements AsyncIterableIterator<T> {
  #queue: LiveQueue<T> | undefined;
  /** Records that were read from the feed and not consumed yet. */
  #page: T[] = [];
  #hasEnded = false;

  constructor(
    private readonly follower: Follower<T, S>,
    private readonly selection: S,
    /** Position up to which records were consumed or are on the page. */
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
    // the follower stopped, or the subscriber left meanwhile
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

  /** Returns the next live record; undefined if it was already consumed, or if the queue has closed. */
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
