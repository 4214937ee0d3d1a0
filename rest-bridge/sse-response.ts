import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';

/** Time that clients wait before they reconnect. */
const RETRY_MS = 2_000;
/** Time that a client has to read the remaining data after the response has ended. Then the connection is closed. */
const END_GRACE_MS = 1_000;

/**
 * One response of server-sent events.
 * - It writes no faster than the client reads.
 * - If too many events wait for a slow client, the subscription ends with an error, and then the response ends.
 * - A client that reads nothing between two pings is disconnected.
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
    // the client may have disconnected already
    if (response.destroyed) queueMicrotask(closed);
    else response.once('close', closed);
  }

  /** Sends a frame for each result. Stops when the results end, or when `frameOf` returns undefined. */
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

  /** Ends the response. The client reconnects and continues with the next event. */
  end(): void {
    const { response } = this;
    void this.results.return?.();
    if (response.writableEnded || response.destroyed) return;
    response.end();
    this.#cutOff = setTimeout(() => response.destroy(), END_GRACE_MS).unref();
  }

  /** Waits until the client has read the buffered data, or the connection has closed. */
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
