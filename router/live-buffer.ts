import type { ExecutionResult } from 'graphql';
import type { LiveResult, LiveSink } from './shared-subscription.ts';

/** Limits of the results that wait for a slow reader. */
export interface BufferLimits {
  results: number;
  bytes: number;
}

/**
 * Queues results for a reader that pulls them. If the queue exceeds its limits, the reader gets the queued results and, as the last result,
 * the result of `overflow`.
 */
export class LiveBuffer implements LiveSink, AsyncIterableIterator<ExecutionResult> {
  readonly #kept: LiveResult[] = [];
  #bytes = 0;
  #asking: ((answer: IteratorResult<ExecutionResult>) => void) | undefined;
  #emptied: (() => void) | undefined;
  #isOpen = true;

  constructor(
    private readonly limits: BufferLimits,
    private readonly overflow: () => LiveResult,
    /** Removes the reader from the subscription. */
    private readonly leave: () => void,
  ) {}

  push(result: LiveResult): void {
    if (this.#asking) this.#answer({ done: false, value: result.result });
    else if (this.#kept.length < this.limits.results && this.#bytes + result.text.length <= this.limits.bytes) this.#keep(result);
    else {
      this.leave();
      this.end(this.overflow());
    }
  }

  ready(): Promise<void> | undefined {
    if (this.#kept.length === 0 || !this.#isOpen) return undefined;
    return new Promise((resolve) => {
      this.#emptied = resolve;
    });
  }

  end(last?: LiveResult): void {
    this.#isOpen = false;
    if (last && this.#asking) this.#answer({ done: false, value: last.result });
    else if (last) this.#keep(last);
    else this.#answer({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<ExecutionResult>> {
    const first = this.#kept.shift();
    if (first) this.#bytes -= first.text.length;
    if (this.#kept.length === 0) this.#tellEmptied();
    if (first) return Promise.resolve({ done: false, value: first.result });
    if (!this.#isOpen) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#asking = resolve;
    });
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#kept.length = 0;
    this.leave();
    this.end();
    this.#tellEmptied();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #keep(result: LiveResult): void {
    this.#kept.push(result);
    this.#bytes += result.text.length;
  }

  #answer(answer: IteratorResult<ExecutionResult>): void {
    const asking = this.#asking;
    this.#asking = undefined;
    asking?.(answer);
  }

  #tellEmptied(): void {
    const emptied = this.#emptied;
    this.#emptied = undefined;
    emptied?.();
  }
}
