import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';

/** A result of a stream, shared by all its subscribers. */
export class LiveResult {
  #text: string | undefined;

  constructor(readonly result: ExecutionResult) {}

  /** The result as JSON, serialized only once. */
  get text(): string {
    this.#text ??= JSON.stringify(this.result);
    return this.#text;
  }
}

/** A subscriber of a shared subscription. */
export interface LiveSink {
  /** Takes a result. It must not wait; if it has too many results, it must leave by itself. */
  push(result: LiveResult): void;
  /** Called only if the subscription is not shared. Resolves when the sink has room; undefined if it has room now. */
  ready(): Promise<void> | undefined;
  /** Called when no more results come. `last` gives the reason if the stream did not end normally. Never called after the sink has left. */
  end(last?: LiveResult): void;
}

/** How many sinks are served before the event loop gets a turn. */
const AT_ONCE = 500;

/**
 * One stream with all its subscribers. A stream with a single private subscriber is read only as fast as the subscriber can take results.
 */
export class SharedSubscription {
  readonly #sinks = new Set<LiveSink>();
  #source: AsyncIterator<ExecutionResult> | undefined;
  #hasEnded = false;

  constructor(
    /** True if nobody else can join. The stream is then read at its subscriber's pace. */
    private readonly isPrivate: boolean,
    private readonly listener: { left(): void; idle(): void },
  ) {}

  /** Adds a sink, before or after the stream has started. It gets the results from now on. */
  join(sink: LiveSink): void {
    this.#sinks.add(sink);
  }

  /** Removes a sink, and ends the stream with the last one. Returns true if the sink was subscribed. */
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

  /** Passes on the results of the stream until it ends or all sinks have left. If the stream fails, `failed` creates the last result. */
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
      // it may have left meanwhile
      if (this.#sinks.has(sink)) sink.push(result);
      served += 1;
    }
  }

  /** Stops the source at once, even while an event is awaited. Errors are ignored, because nobody is subscribed any more. */
  async #stopSource(): Promise<void> {
    try {
      await this.#source?.return?.();
    } catch {}
  }
}
