import type { LogConsumer } from '../../../kernel/events/events.ts';
import { toLoggedEvent } from '../log/event-log.ts';
import type { ConsumerTask } from './consumer.ts';

/**
 * Task for a log consumer of a domain. The domain may have a database of its own, so the cursor moves after it has consumed: a
 * crash in between repeats a batch.
 */
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
