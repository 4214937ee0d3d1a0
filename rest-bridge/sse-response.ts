import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';

/** How long a client waits before it comes back. */
const RETRY_MS = 2_000;
/** How long a client may take to read what was written before the end. */
const END_GRACE_MS = 1_000;

/**
 * One response of server-sent events, from its head to its end: written no faster than its client reads. Whoever is too slow for
 * the buffer of its stream is ended by that stream; who reads nothing from one ping to the next is cut off.
 */
export class SseResponse {
  #isStuck = false;
  #cutOff: NodeJS.Timeout | undefined;

  constructor(
    private readonly response: ServerResponse,
    private readonly results: AsyncIterableIterator<ExecutionResult>,
    onClose: () => void,
  ) {
    const closed = (): void => {
      clearTimeout(this.#cutOff);
      void results.return?.();
      onClose();
    };
    // the client may be gone already
    if (response.destroyed) queueMicrotask(closed);
    else response.once('close', closed);
  }

  /** Until the results end, or there is no frame for one of them. */
  async send(headers: OutgoingHttpHeaders, frameOf: (result: ExecutionResult) => string | undefined): Promise<void> {
    const { response } = this;
    if (response.destroyed) return;
    try {
      response.writeHead(200, headers).write(`retry: ${RETRY_MS}\n\n`);
      for await (const result of this.results) {
        const frame = frameOf(result);
        if (frame === undefined || response.writableEnded || response.destroyed) break;
        if (!response.write(frame)) await this.#drained();
      }
    } finally {
      this.end();
    }
  }

  ping(): void {
    const { response } = this;
    if (response.writableEnded || response.destroyed) return;
    if (!response.writableNeedDrain) {
      this.#isStuck = false;
      response.write(': ping\n\n');
    } else if (this.#isStuck) response.destroy();
    else this.#isStuck = true;
  }

  /** The client comes back for what follows. */
  end(): void {
    const { response } = this;
    void this.results.return?.();
    if (response.writableEnded || response.destroyed) return;
    response.end();
    this.#cutOff = setTimeout(() => response.destroy(), END_GRACE_MS).unref();
  }

  /** What was written is on its way, or nobody waits for it. */
  async #drained(): Promise<void> {
    const { response } = this;
    if (response.destroyed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    response.once('drain', resolve).once('close', resolve);
    await promise;
    this.#isStuck = false;
    response.off('drain', resolve).off('close', resolve);
  }
}
