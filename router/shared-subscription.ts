import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';

/** A result of a stream. All subscribers share it. */
export class LiveResult {
  #text: string | undefined;

  constructor(readonly result: ExecutionResult) {}

  /** The result as JSON. It is serialized only once. */
  get text(): string {
    this.#text ??= JSON.stringify(this.result);
    return this.#text;
  }
}

/** A subscriber of a shared subscription. */
export interface LiveSink {
  /** Takes a result. The method must not wait. A sink that has too many results must leave the subscription. */
  push(result: LiveResult): void;
  /**
   * Resolves when the sink can take a result. Returns undefined if the sink can take a result now. The method is called
   * only if the subscription is private.
   */
  ready(): Promise<void> | undefined;
  /**
   * Called when the stream has ended. If it did not end normally, `last` contains the reason. It is not called after
   * the sink has left.
   */
  end(last?: LiveResult): void;
}

/** Number of sinks that get a result before the event loop continues with other work. */
const AT_ONCE = 500;

/**
 * One stream with all its subscribers. If the stream is private, it is read only as fast as its single subscriber can
 * take results.
 */
export class SharedSubscription {
  readonly #sinks = new Set<LiveSink>();
  #source: AsyncIterator<ExecutionResult> | undefined;
  #hasEnded = false;

  constructor(
    /** True if the stream has a single subscriber and no other can join. */
    private readonly isPrivate: boolean,
    private readonly listener: { left(): void; idle(): void },
  ) {}

  /** Adds a sink, before or after the stream has started. The sink gets all later results. */
  join(sink: LiveSink): void {
    this.#sinks.add(sink);
  }

  /** Removes a sink. The stream ends when its last sink is removed. Returns false if the sink was not subscribed. */
  leave(sink: LiveSink): boolean {
    if (!this.#sinks.delete(sink)) return false;
    if (this.#sinks.size === 0) {
      this.#hasEnded = true;
      this.listener.idle();
      void this.#stopSource();
    }
    this.listener.left();
    return true;
  }

  /**
   * Passes the results of the stream to the sinks, until the stream ends or all sinks have left. If the stream fails,
   * `failed` creates the last result.
   */
  async follow(stream: AsyncIterable<ExecutionResult>, failed: (error: unknown) => ExecutionResult): Promise<void> {
    const source = stream[Symbol.asyncIterator]();
    this.#source = source;
    if (this.#hasEnded) return this.#stopSource();
    try {
      for (let next = await source.next(); !next.done; next = await source.next()) await this.#handOn(new LiveResult(next.value));
      this.end();
    } catch (error) {
      this.end(this.#hasEnded ? undefined : failed(error));
    }
  }

  end(last?: ExecutionResult): void {
    const result = last && new LiveResult(last);
    for (const sink of [...this.#sinks]) if (this.leave(sink)) sink.end(result);
  }

  async #handOn(result: LiveResult): Promise<void> {
    let served = 0;
    for (const sink of this.#sinks) {
      if (this.isPrivate) await sink.ready();
      else if (served === AT_ONCE) {
        served = 0;
        await nextTurn();
      }
      // the sink may have left during an await
      if (this.#sinks.has(sink)) sink.push(result);
      served += 1;
    }
  }

  /**
   * Stops the stream immediately, even while its next event is awaited. Errors are ignored, because there are no
   * subscribers anymore.
   */
  async #stopSource(): Promise<void> {
    try {
      await this.#source?.return?.();
    } catch {}
  }
}
