import type { LogConsumer } from '../../../kernel/events/events.ts';
import { toLoggedEvent } from '../log/event-log.ts';
import type { ConsumerTask } from './consumer.ts';

/** The consumer task of a domain. It works in a database of its own, so its place moves after it has read: a crash in between repeats. */
export function logConsumerTask({ name, on, consume }: LogConsumer): ConsumerTask {
  const names = new Set(on);
  return {
    name,
    async prepare(events) {
      const wanted = events.filter(({ event }) => names.has(event));
      if (wanted.length > 0) await consume(wanted.map(toLoggedEvent));
    },
    handle: async () => undefined,
  };
}
