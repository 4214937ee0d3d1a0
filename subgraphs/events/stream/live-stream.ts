import type { Selection } from './feed.ts';
import type { Follower } from './follower.ts';
import type { LiveQueue } from './live-queue.ts';

const PAGE = 200;
const ENDED = { done: true, value: undefined } as const;

/**
 * The records of a feed that a selection covers, from a position on, in order, without gap or repetition. It listens first and
 * then reads what there was before it listened, so that nothing falls between. Who is too slow for its queue does the same
 * again: it holds up nobody, and memory stays bounded. Not a generator, whose `return` would wait for the next record.
 */
export class LiveStream<T extends { organizationId: string }, S extends Selection<T>> implements AsyncIterableIterator<T> {
  #queue: LiveQueue<T> | undefined;
  /** What was read of the feed and not yet taken. */
  #page: T[] = [];
  #hasEnded = false;

  constructor(
    private readonly follower: Follower<T, S>,
    private readonly selection: S,
    /** Everything up to here was taken, or is on the page. */
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

  /** The next that happens; undefined for what was taken before, and when the queue has ended. */
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
