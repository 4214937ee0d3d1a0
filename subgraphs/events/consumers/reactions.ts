import { SpanKind } from '@opentelemetry/api';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Reaction } from '../../../kernel/events/events.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { inTrace } from '../../../kernel/tracing/tracing.ts';
import type { EventRecord } from '../log/event.entity.ts';
import { type EventLog, toLoggedEvent } from '../log/event-log.ts';
import type { ConsumerTask } from './consumer.ts';

/**
 * Retry options of a reaction job. The job is retried until it succeeds, or until the queue deletes it because it is
 * too old. Retries are at most five minutes apart, so the job never reaches its limit of 100,000 retries.
 */
const RETRY = { retryLimit: 100_000, retryDelaySeconds: 1, retryDelayMaxSeconds: 300 };

/**
 * Job payload. `occurredAt` is the time when the event was recorded. This time determines which partition of the log
 * contains the event.
 */
interface ReactionJob {
  eventId: string;
  occurredAt: string;
}

const queueOf = ({ name }: Reaction): string => `reaction/${name}`;

/**
 * Creates the task that enqueues one job for each event and each reaction to this event. A job is retried (see RETRY),
 * so a reaction may run more than once.
 */
export function reactionsTask(reactions: readonly Reaction[], jobs: Jobs, eventLog: EventLog, log: Logger): ConsumerTask {
  for (const reaction of reactions) jobs.define<ReactionJob>(queueOf(reaction), (job) => react(reaction, job, eventLog, log), RETRY);
  return {
    name: 'reactions',
    async handle(tx: EntityManager, events: readonly EventRecord[]) {
      for (const { id, event, recordedAt } of events) {
        const job = { eventId: id, occurredAt: recordedAt.toISOString() } satisfies ReactionJob;
        for (const reaction of reactions) if (reaction.on === event) await jobs.enqueue(tx, queueOf(reaction), job);
      }
    },
  };
}

async function react(reaction: Reaction, { eventId, occurredAt }: ReactionJob, eventLog: EventLog, log: Logger): Promise<void> {
  const event = await eventLog.find(eventId, new Date(occurredAt));
  if (!event) return log.warn({ event: eventId, reaction: reaction.name }, 'the event of a reaction is no longer in the log');
  await inTrace(event.traceparent, { name: `reaction ${reaction.name}`, kind: SpanKind.CONSUMER }, () =>
    reaction.handle(toLoggedEvent(event)),
  );
}
