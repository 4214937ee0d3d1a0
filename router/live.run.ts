import type { ExecutionResult } from 'graphql';

/** Ends a subscriber with a last result. */
export type Farewell = ExecutionResult;

/**
 * One stream, handed to everyone who follows the same. Each subscriber has a buffer of its own, and one that reads too slowly
 * is ended, so that it neither holds up the others nor misses events without a word.
 */
export class LiveRun {
  readonly #subscribers = new Set<LiveSubscriber>();
  #source: AsyncIterator<ExecutionResult> | undefined;
  #hasEnded = false;

  constructor(
    private readonly bufferSize: number,
    private readonly overflow: Farewell,
    private readonly onLeave: (isIdle: boolean) => void,
  ) {}

  get size(): number {
    return this.#subscribers.size;
  }

  /** Joins before or after the stream began; a subscriber gets what comes from now on. */
  join(): LiveSubscriber {
    const subscriber: LiveSubscriber = new LiveSubscriber(this.bufferSize, this.overflow, () => this.#leave(subscriber));
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  /** Hands on what the stream brings until it ends, or everyone has left. `failed` says the last words when it breaks. */
  async follow(stream: AsyncIterable<ExecutionResult>, failed: (error: unknown) => Farewell): Promise<void> {
    const source = stream[Symbol.asyncIterator]();
    this.#source = source;
    if (this.#hasEnded) return this.#stopSource();
    try {
      for (let next = await source.next(); !next.done; next = await source.next()) {
        for (const subscriber of this.#subscribers) subscriber.push(next.value);
      }
      this.end();
    } catch (error) {
      this.end(this.#hasEnded ? undefined : failed(error));
    }
  }

  /** Ends every subscriber; what is in their buffers they still read. */
  end(farewell?: Farewell): void {
    for (const subscriber of [...this.#subscribers]) subscriber.end(farewell);
  }

  #leave(subscriber: LiveSubscriber): void {
    if (!this.#subscribers.delete(subscriber)) return;
    this.#hasEnded = this.#subscribers.size === 0;
    this.onLeave(this.#hasEnded);
    if (this.#hasEnded) void this.#stopSource();
  }

  /** Also while an event is awaited: the source is told at once. That it cannot end well concerns nobody any more. */
  async #stopSource(): Promise<void> {
    try {
      await this.#source?.return?.();
    } catch {}
  }
}

/** What one client reads. */
export class LiveSubscriber implements AsyncIterableIterator<ExecutionResult> {
  readonly #buffer: ExecutionResult[] = [];
  #waiting: ((result: IteratorResult<ExecutionResult>) => void) | undefined;
  #isOpen = true;

  constructor(
    private readonly bufferSize: number,
    private readonly overflow: Farewell,
    private readonly leave: () => void,
  ) {}

  push(result: ExecutionResult): void {
    if (!this.#isOpen) return;
    if (this.#waiting) this.#answer({ done: false, value: result });
    else if (this.#buffer.length < this.bufferSize) this.#buffer.push(result);
    else this.end(this.overflow);
  }

  end(farewell?: Farewell): void {
    if (!this.#isOpen) return;
    if (farewell && this.#waiting) this.#answer({ done: false, value: farewell });
    else if (farewell) this.#buffer.push(farewell);
    this.#isOpen = false;
    this.#answer({ done: true, value: undefined });
    this.leave();
  }

  next(): Promise<IteratorResult<ExecutionResult>> {
    const value = this.#buffer.shift();
    if (value) return Promise.resolve({ done: false, value });
    if (!this.#isOpen) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#buffer.length = 0;
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #answer(result: IteratorResult<ExecutionResult>): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(result);
  }
}
