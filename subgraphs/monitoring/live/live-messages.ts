import { setTimeout as delay } from 'node:timers/promises';

const ENDED = { done: true, value: undefined } as const;

/**
 * Iterates over the messages of one subscriber. Between two messages, whatever arrives is collected by the source, which states
 * what it had to leave out. So a slow subscriber needs no more memory than a fast one. This class is not a generator, because the
 * `return` of a generator would wait for the next message.
 */
export class LiveMessages<M> implements AsyncIterableIterator<M> {
  readonly #ended = new AbortController();
  #wake: (() => void) | undefined;
  #restsUntil = 0;

  constructor(
    /** Returns what has arrived since the last call, as one message. Returns undefined if nothing has. */
    private readonly take: () => M | undefined,
    private readonly left: () => void,
    /** Shortest time between two messages. */
    private readonly everyMs: number,
  ) {}

  /** Tells that something has arrived. */
  notify(): void {
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<M>> {
    while (!this.#hasEnded) {
      const rest = this.#restsUntil - performance.now();
      if (rest > 0) await delay(rest, undefined, { ref: false, signal: this.#ended.signal }).catch(() => undefined);
      if (this.#hasEnded) break;
      const value = this.take();
      if (value !== undefined) {
        this.#restsUntil = performance.now() + this.everyMs;
        return { done: false, value };
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return ENDED;
  }

  async return(): Promise<IteratorResult<M>> {
    if (this.#hasEnded) return ENDED;
    this.#ended.abort();
    this.left();
    this.#wake?.();
    return ENDED;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get #hasEnded(): boolean {
    return this.#ended.signal.aborted;
  }
}
