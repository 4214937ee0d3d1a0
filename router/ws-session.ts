import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { RequestContext } from '../kernel/request.ts';
import type { Watched } from './credential-watch.ts';
import type { LiveSlot } from './live-caps.ts';

/** Codes with which the platform closes a socket, in addition to those of graphql-transport-ws. */
export const SOCKET_CLOSE = {
  normal: 1000,
  goingAway: 1001,
  /** Events came faster than they were read. A client that subscribes again with `after` loses nothing. */
  resume: 4450,
} as const;

/** Above this buffer size, a private stream is not read further until the data is sent. */
const PACE_BYTES = 64 * 1024;
/** A close frame holds 123 bytes. A character that is cut through takes up to two more. */
const MAX_REASON_BYTES = 120;

/** One socket: sends data within limits, and handles its end. */
export class SocketSession<C extends RequestContext> {
  /** Undefined until the client is admitted. */
  watched: Watched<C> | undefined;
  slot: LiveSlot | undefined;
  /** By the client's operation ids. */
  operations: Readonly<Record<string, unknown>> = {};
  /** Ids of operations that occupy a place. */
  readonly #places = new Set<string>();
  /** True if it responded to the last ping. */
  isAnswering = true;
  /** Time (`performance.now()`) since which the socket has had no operation; undefined while it has one. */
  idleSince: number | undefined = performance.now();
  #closed: AbortController | undefined;
  /** Bytes of responses that are not written yet. */
  #answerBytes = 0;
  #written: Promise<void> | undefined;

  constructor(
    private readonly socket: WebSocket,
    readonly request: IncomingMessage,
    /** Maximum bytes of events that wait for the client. */
    private readonly maxEventBytes: number,
  ) {}

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Reserves a place for an operation. Returns false if open operations occupy all places. */
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

  /** Aborted when the socket is closed. */
  get closed(): AbortSignal {
    this.#closed ??= new AbortController();
    if (this.socket.readyState === this.socket.CLOSED) this.#closed.abort();
    return this.#closed.signal;
  }

  /** Sends a response, and resolves when it is written. If a client sends requests without reading responses, its messages are paused. */
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

  /** Sends an event. Returns false, without sending, if too many events are waiting. */
  event(text: string): boolean {
    const { socket } = this;
    const waiting = socket.bufferedAmount;
    if (waiting - this.#answerBytes > this.maxEventBytes) return false;
    if (!this.isOpen) return true;
    if (waiting === 0) socket.send(text);
    else this.#written = new Promise((resolve) => socket.send(text, () => resolve()));
    return true;
  }

  /** Resolves when the waiting data is written or discarded; undefined if little is waiting. */
  ready(): Promise<void> | undefined {
    return this.socket.bufferedAmount > PACE_BYTES ? this.#written : undefined;
  }

  /** Closes the socket. Waiting data is sent first if the client reads it. */
  close(code: number, reason: string): void {
    this.socket.close(code, Buffer.from(reason).subarray(0, MAX_REASON_BYTES).toString());
  }

  /** Releases everything that belongs to the socket. Call it when the socket is closed. */
  leave(): void {
    this.watched?.leave();
    this.slot?.leave();
    this.#closed?.abort();
  }
}
