import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';

/** What a stream brought, for everyone who follows it. */
export class LiveResult {
  #text: string | undefined;

  constructor(readonly result: ExecutionResult) {}

  /** As JSON: written once, however many it is sent to. */
  get text(): string {
    this.#text ??= JSON.stringify(this.result);
    return this.#text;
  }
}

/** A subscriber of a shared subscription. */
export interface LiveSink {
  /** Takes what comes. It must not wait, and says itself when it has too much. */
  push(result: LiveResult): void;
  /** Asked if it has the subscription for itself: resolves when it has room. Undefined: at once. */
  ready(): Promise<void> | undefined;
  /** Nothing more comes. `last` says why, where the stream did not just end. Never called after it has left. */
  end(last?: LiveResult): void;
}

/** Sinks that are served before others get a turn of the event loop. */
const AT_ONCE = 500;

/** One stream, handed to everyone who follows the same. What is read for one alone is read no faster than it takes. */
export class SharedSubscription {
  readonly #sinks = new Set<LiveSink>();
  #source: AsyncIterator<ExecutionResult> | undefined;
  #hasEnded = false;

  constructor(
    /** Nobody else will join: it is read at the pace of who follows it. */
    private readonly isPrivate: boolean,
    private readonly listener: { left(): void; idle(): void },
  ) {}

  /** Joins before or after the stream began: a sink gets what comes from now on. */
  join(sink: LiveSink): void {
    this.#sinks.add(sink);
  }

  /** Ends the stream where the last one leaves. Answers whether the sink was there. */
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

  /** Hands on what the stream brings until it ends, or everyone has left. `failed` says the last words when it breaks. */
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
      // it may have left while others were served
      if (this.#sinks.has(sink)) sink.push(result);
      served += 1;
    }
  }

  /** Also while an event is awaited: the source is told at once. That it cannot end well concerns nobody any more. */
  async #stopSource(): Promise<void> {
    try {
      await this.#source?.return?.();
    } catch {}
  }
}
