import type { EventRecord } from '../log/event.entity.ts';
import type { EventLog } from '../log/event.log.ts';
import type { EventService } from '../log/event.service.ts';
import type { Follower } from './follower.ts';

const PAGE = 200;

export interface StreamServiceDeps {
  organizationId: string;
  events: EventService;
  eventLog: EventLog;
  follower: Follower;
}

/** Live events of the caller's organization. */
export class StreamService {
  constructor(private readonly deps: StreamServiceDeps) {}

  /**
   * The events that patterns cover (default: all that the caller may read), in order, without gap or repetition: from those
   * logged after the given event on, or from now on.
   * @throws InvalidParameters for an unknown pattern or event
   */
  async subscribe(
    patterns: readonly string[] | null | undefined,
    after: string | null | undefined,
  ): Promise<AsyncIterableIterator<EventRecord>> {
    const { events, eventLog } = this.deps;
    const names = events.covered(patterns, 'patterns');
    const position = after === null || after === undefined ? await eventLog.head() : await events.sequenceOf(after);
    return endable((signal) => this.#follow(names, position, signal));
  }

  /**
   * Listens first and then reads what was logged before it listened, so that nothing falls between. A subscriber that is too
   * slow for its queue does the same again: it holds up nobody, and memory stays bounded.
   */
  async *#follow(names: ReadonlySet<string>, position: number, signal: AbortSignal): AsyncGenerator<EventRecord> {
    const { organizationId, follower } = this.deps;
    let sequence = position;
    while (!signal.aborted) {
      const queue = await follower.attach(organizationId, names);
      if (!queue) return;
      const close = (): void => queue.close();
      signal.addEventListener('abort', close, { once: true });
      // it may have left while this attached
      if (signal.aborted) close();
      try {
        for await (const event of this.#logged(names, sequence, queue.from)) yield event;
        sequence = Math.max(sequence, queue.from);
        for (let event = await queue.next(); event && !signal.aborted; event = await queue.next()) {
          // what the position given was already beyond
          if (event.sequence <= sequence) continue;
          sequence = event.sequence;
          yield event;
        }
      } finally {
        signal.removeEventListener('abort', close);
        close();
      }
    }
  }

  async *#logged(names: ReadonlySet<string>, position: number, upTo: number): AsyncGenerator<EventRecord> {
    const { organizationId, eventLog } = this.deps;
    for (let after = position; after < upTo; ) {
      const page = await eventLog.range({ organizationId, names, after, upTo, limit: PAGE });
      yield* page;
      after = page.length < PAGE ? upTo : (page.at(-1)?.sequence ?? upTo);
    }
  }
}

/** A generator whose `return` also ends a wait that is under way: by itself it would be answered only after the next event. */
function endable<T>(generate: (signal: AbortSignal) => AsyncGenerator<T>): AsyncIterableIterator<T> {
  const controller = new AbortController();
  const generator = generate(controller.signal);
  return {
    next: () => generator.next(),
    return() {
      controller.abort();
      return generator.return(undefined);
    },
    throw(error) {
      controller.abort();
      return generator.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
