import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { RequestContext } from '../kernel/request.ts';
import type { Watched } from './credential-watch.ts';
import type { LiveSlot } from './live-caps.ts';

/** Codes with which the platform closes a socket, in addition to the codes of graphql-transport-ws. */
export const SOCKET_CLOSE = {
  normal: 1000,
  goingAway: 1001,
  /** The client read events too slowly. If it subscribes again with `after`, it loses no events. */
  resume: 4450,
} as const;

/** Number of waiting bytes above which a private stream is not read further, until these bytes are sent. */
const PACE_BYTES = 64 * 1024;
/**
 * Maximum length of a close reason. A close frame has room for 123 bytes, and cutting a character in two can add up to
 * two bytes.
 */
const MAX_REASON_BYTES = 120;

/** One socket. It sends data within limits, and releases everything when the socket closes. */
export class SocketSession<C extends RequestContext> {
  /** The authenticated client. Undefined until the client is admitted. */
  watched: Watched<C> | undefined;
  slot: LiveSlot | undefined;
  /** The open subscriptions and operations. The keys are the ids that the client gave them. */
  operations: Readonly<Record<string, unknown>> = {};
  /** Ids of operations that count in the limit of open operations. */
  readonly #places = new Set<string>();
  /** True if the client has responded to the last ping. */
  isAnswering = true;
  /**
   * Time (`performance.now()`) at which the last operation of the socket ended. Undefined while an operation is open.
   */
  idleSince: number | undefined = performance.now();
  #closed: AbortController | undefined;
  /** Total length of responses that are not written to the network yet. */
  #answerBytes = 0;
  #written: Promise<void> | undefined;

  constructor(
    private readonly socket: WebSocket,
    readonly request: IncomingMessage,
    /** Maximum bytes of events that may wait for the client. */
    private readonly maxEventBytes: number,
  ) {}

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Counts an operation. Returns false, without counting it, if `most` operations are already open. */
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

  /** Signal that is aborted when the socket closes. */
  get closed(): AbortSignal {
    this.#closed ??= new AbortController();
    if (this.socket.readyState === this.socket.CLOSED) this.#closed.abort();
    return this.#closed.signal;
  }

  /**
   * Sends a response, and resolves when it is written. If the client does not read its responses, no further messages
   * are received from it.
   */
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

  /** Sends an event. Returns false, without sending it, if more than `maxEventBytes` of events are waiting. */
  event(text: string): boolean {
    const { socket } = this;
    const waiting = socket.bufferedAmount;
    if (waiting - this.#answerBytes > this.maxEventBytes) return false;
    if (!this.isOpen) return true;
    if (waiting === 0) socket.send(text);
    else this.#written = new Promise((resolve) => socket.send(text, () => resolve()));
    return true;
  }

  /** Resolves when the waiting data is written or discarded. Returns undefined if at most `PACE_BYTES` are waiting. */
  ready(): Promise<void> | undefined {
    return this.socket.bufferedAmount > PACE_BYTES ? this.#written : undefined;
  }

  /** Closes the socket. Waiting data is sent first, if the client reads it. */
  close(code: number, reason: string): void {
    this.socket.close(code, Buffer.from(reason).subarray(0, MAX_REASON_BYTES).toString());
  }

  /** Releases everything that belongs to the socket. Call it when the socket has closed. */
  leave(): void {
    this.watched?.leave();
    this.slot?.leave();
    this.#closed?.abort();
  }
}
