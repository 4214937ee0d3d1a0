import type { ExecutionResult } from 'graphql';
import type { PlatformError } from '../kernel/errors/errors.ts';
import type { RequestContext } from '../kernel/request.ts';
import type { LiveResult, LiveSink } from './shared-subscription.ts';
import { SOCKET_CLOSE, type SocketSession } from './ws-session.ts';

export interface FollowerParts {
  session: SocketSession<RequestContext>;
  /**
   * The id that the client gave to the operation. `name` is the name of the operation, or this id if it has no name.
   */
  id: string;
  name: string;
  /** The request context at the start of the subscription. */
  context: RequestContext;
  /** Creates the last result, which contains the reason why the subscription ends. */
  refusal(error: PlatformError): ExecutionResult;
  /** Removes this sink from the subscription. */
  leave(): void;
  /** Called once when the subscription has ended, for any reason. */
  onEnd(): void;
}

const NAME_LENGTH = 32;

/**
 * Sends the events of one subscription directly to its socket. All subscribers share the text of an event; only the preceding operation id
 * differs. graphql-ws handles the protocol. It uses this object as an iterator that returns no results and ends when the subscription ends.
 */
export class SocketFollower implements LiveSink, AsyncIterableIterator<ExecutionResult> {
  readonly #head: string;
  #isOpen = true;
  #finish: (() => void) | undefined;

  constructor(private readonly parts: FollowerParts) {
    this.#head = `{"id":${JSON.stringify(parts.id)},"type":"next","payload":`;
  }

  push({ text }: LiveResult): void {
    const { session, context, name, refusal } = this.parts;
    const narrowed = session.watched?.narrowed(context.principal);
    if (narrowed) {
      this.#send(JSON.stringify(refusal(narrowed)));
      this.#leave();
    } else if (!this.#send(text)) {
      this.#leave();
      session.close(
        SOCKET_CLOSE.resume,
        `RESUME: ${name.slice(0, NAME_LENGTH)} was read too slowly. Subscribe again after the last id you have.`,
      );
    }
  }

  ready(): Promise<void> | undefined {
    return this.parts.session.ready();
  }

  end(last?: LiveResult): void {
    if (last) this.#send(last.text);
    this.#close();
  }

  /** Returns no results. It resolves with `done: true` when the subscription has ended. */
  next(): Promise<IteratorResult<ExecutionResult>> {
    if (!this.#isOpen) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#finish = () => resolve({ done: true, value: undefined });
    });
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#leave();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #send(text: string): boolean {
    return this.parts.session.event(`${this.#head}${text}}`);
  }

  #leave(): void {
    this.parts.leave();
    this.#close();
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.parts.onEnd();
    this.#finish?.();
  }
}
