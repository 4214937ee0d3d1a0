import type { Dispatcher } from 'undici';

export class DeadlineExceeded extends Error {}

export interface Received {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes: Buffer;
  isCut: boolean;
}

/** The result of a request: a response, a failure, or both if the response was interrupted. */
export interface Ended {
  received?: Received | undefined;
  failure?: Error | undefined;
}

/** One request and its response. At most `maxBytes` of the body are read. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly ended: Promise<Ended>;
  readonly #resolve: (ended: Ended) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #head: Pick<Received, 'status' | 'headers'> | undefined;
  #abortedWith: Error | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(private readonly maxBytes: number) {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    this.ended = promise;
    this.#resolve = resolve;
  }

  /** Ends the request with a failure. */
  end(failure: Error): void {
    this.#finish(failure);
    this.#abort(failure);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortedWith) controller.abort(this.#abortedWith);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Received['headers']): void {
    // 1xx responses come before the final response
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= this.maxBytes) return;
    this.#finish();
    this.#abort(new Error('The rest of the response is not needed.'));
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.#finish(error);
  }

  #abort(reason: Error): void {
    this.#abortedWith = reason;
    this.#controller?.abort(reason);
  }

  #finish(failure?: Error): void {
    const { length } = this.#chunks;
    const bytes = length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#resolve({
      received: this.#head && { ...this.#head, bytes: bytes.subarray(0, this.maxBytes), isCut: this.#size > this.maxBytes },
      failure,
    });
  }
}
