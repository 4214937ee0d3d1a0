import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { RequestContext } from '../kernel/request.ts';
import type { Watched } from './credential-watch.ts';
import type { LiveSlot } from './live-caps.ts';

/** Why the platform closes a socket, beside the codes of graphql-transport-ws. */
export const SOCKET_CLOSE = {
  normal: 1000,
  goingAway: 1001,
  /** Events came faster than they were read. Whoever subscribes again with `after` loses nothing. */
  resume: 4450,
} as const;

/** Above this a stream that is read for this socket alone is read no further until it was sent. */
const PACE_BYTES = 64 * 1024;
/** A close frame holds 123 bytes; a character that is cut through takes up to two more. */
const MAX_REASON_BYTES = 120;

/** One socket: what it is sent, in bounds, and how it ends. */
export class SocketSession<C extends RequestContext> {
  /** Undefined until it is admitted. */
  watched: Watched<C> | undefined;
  slot: LiveSlot | undefined;
  /** By the ids that the client gave them. */
  operations: Readonly<Record<string, unknown>> = {};
  /** Ids of operations that it has a place for. */
  readonly #places = new Set<string>();
  /** Whether it answered the last ping. */
  isAnswering = true;
  /** Since when it has had no operation, as `performance.now()` says it; undefined while it has one. */
  idleSince: number | undefined = performance.now();
  #closed: AbortController | undefined;
  /** Of answers that are not written yet. */
  #answerBytes = 0;
  #written: Promise<void> | undefined;

  constructor(
    private readonly socket: WebSocket,
    readonly request: IncomingMessage,
    /** Of events, waiting to be taken by the client. */
    private readonly maxEventBytes: number,
  ) {}

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Takes a place for an operation, one of so many at a time. False where all are taken by operations that are open. */
  takePlace(id: string, most: number): boolean {
    if (this.#places.size >= most) for (const taken of this.#places) if (!(taken in this.operations)) this.#places.delete(taken);
    if (this.#places.size >= most) return false;
    this.#places.add(id);
    return true;
  }

  get hasOperations(): boolean {
    for (const _ in this.operations) return true;
    return false;
  }

  /** Aborted when it is closed. */
  get closed(): AbortSignal {
    this.#closed ??= new AbortController();
    if (this.socket.readyState === this.socket.CLOSED) this.#closed.abort();
    return this.#closed.signal;
  }

  /** Sends what was asked for; resolves when it is written. Who asks without reading is not heard until it has read. */
  answer(text: string): Promise<void> {
    const { socket } = this;
    if (!this.isOpen) return Promise.resolve();
    this.#answerBytes += text.length;
    if (this.#answerBytes > this.maxEventBytes) socket.pause();
    return new Promise((resolve, reject) =>
      socket.send(text, (error) => {
        this.#answerBytes -= text.length;
        if (socket.isPaused && this.#answerBytes <= this.maxEventBytes) socket.resume();
        if (error) reject(error);
        else resolve();
      }),
    );
  }

  /** Sends an event. False where too many wait already: it was not sent. */
  event(text: string): boolean {
    const { socket } = this;
    const waiting = socket.bufferedAmount;
    if (waiting - this.#answerBytes > this.maxEventBytes) return false;
    if (!this.isOpen) return true;
    if (waiting === 0) socket.send(text);
    else this.#written = new Promise((resolve) => socket.send(text, () => resolve()));
    return true;
  }

  /** Resolves when what waits was written, or never will be; undefined where little waits. */
  ready(): Promise<void> | undefined {
    return this.socket.bufferedAmount > PACE_BYTES ? this.#written : undefined;
  }

  /** Closes it; what waits is sent before, if the client takes it. */
  close(code: number, reason: string): void {
    this.socket.close(code, Buffer.from(reason).subarray(0, MAX_REASON_BYTES).toString());
  }

  /** Ends what hangs on it. To be called when the socket is closed. */
  leave(): void {
    this.watched?.leave();
    this.slot?.leave();
    this.#closed?.abort();
  }
}
