import type { LogConsumer } from '../../../kernel/events/events.ts';
import { toLoggedEvent } from '../log/event-log.ts';
import type { ConsumerTask } from './consumer.ts';

/**
 * Creates the task for a log consumer of a domain. The domain may have its own database, so the cursor cannot move in
 * the transaction of `consume`. It moves after `consume` has returned. If the process crashes before the cursor moves,
 * `consume` receives the batch again.
 */
export function logConsumerTask({ name, on, consume }: LogConsumer): ConsumerTask {
  const names = new Set(on);
  return {
    name,
    async prepare(events) {
      const wanted = events.filter(({ event }) => names.has(event));
      if (wanted.length > 0) await consume(wanted.map(toLoggedEvent));
    },
  };
}
