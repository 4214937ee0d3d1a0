import type { Logger } from '../../../kernel/log/log.ts';
import { WorkLoop } from '../../../kernel/work/work-loop.ts';
import type { WorkPoller } from '../../../kernel/work/work-poller.ts';
import { Coalesced } from './coalesced.ts';
import type { Feed, Selection } from './feed.ts';
import { LiveQueue } from './live-queue.ts';

const BATCH = 500;

/** Reads a feed once for the whole process and passes each record to the live subscribers of its organization. */
export class Follower<T extends { organizationId: string }, S extends Selection<T>> {
  readonly #queues = new Map<string, Set<LiveQueue<T>>>();
  readonly #loop: WorkLoop;
  readonly #head: Coalesced<number>;
  /**
   * Position up to which all records were passed on to subscribers. Undefined while there are no subscribers, because
   * the feed is then not read.
   */
  #position: number | undefined;
  #isStopped = false;
  #stopPolling: (() => void) | undefined;

  constructor(
    readonly feed: Feed<T, S>,
    private readonly poller: WorkPoller,
    log: Logger,
  ) {
    this.#loop = new WorkLoop(() => this.#advance(), log);
    this.#head = new Coalesced(() => feed.head());
  }

  start(): void {
    this.#stopPolling = this.poller.add({
      name: 'live streams',
      query: this.feed.newer('$1'),
      values: () => [this.#position ?? null],
      found: () => this.wake(),
    });
    this.#loop.start();
  }

  wake(): void {
    if (this.#queues.size > 0) this.#loop.wake();
  }

  /** Stops reading the feed and ends all streams. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopPolling?.();
    for (const queue of [...this.#queues.values()].flatMap((queues) => [...queues])) queue.close();
    await this.#loop.stop();
  }

  /** Returns the position of the last record of the feed. Concurrent callers share queries. */
  head(): Promise<number> {
    return this.#head.get();
  }

  /**
   * Adds a queue for a subscriber. The queue starts after the last record that the follower has read. Returns undefined
   * after `stop`.
   */
  async attach(selection: S): Promise<LiveQueue<T> | undefined> {
    const head = this.#position === undefined ? await this.head() : 0;
    if (this.#isStopped) return undefined;
    this.#position ??= head;

    const { organizationId } = selection;
    const queues = this.#queues.get(organizationId) ?? new Set();
    const queue = new LiveQueue<T>(this.#position, selection, () => this.#detach(organizationId, queue));
    this.#queues.set(organizationId, queues.add(queue));
    this.#loop.wake();
    return queue;
  }

  #detach(organizationId: string, queue: LiveQueue<T>): void {
    const queues = this.#queues.get(organizationId);
    queues?.delete(queue);
    if (queues?.size === 0) this.#queues.delete(organizationId);
  }

  async #advance(): Promise<boolean> {
    if (this.#queues.size === 0) this.#position = undefined;
    if (this.#position === undefined) return false;
    const records = await this.feed.after(this.#position, BATCH);
    for (const record of records) for (const queue of [...(this.#queues.get(record.organizationId) ?? [])]) queue.push(record);
    const last = records.at(-1);
    if (last) this.#position = this.feed.positionOf(last);
    return records.length === BATCH;
  }
}
