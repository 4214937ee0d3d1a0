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
  /** Id of the organization. Undefined in jobs that an earlier release enqueued. */
  organization?: string;
}

const queueOf = ({ name }: Reaction): string => `reaction/${name}`;

/**
 * Creates the task that enqueues one job for each event and each reaction to this event. A job is retried (see RETRY),
 * so a reaction may run more than once.
 */
export function reactionsTask(reactions: readonly Reaction[], jobs: Jobs, eventLog: EventLog, log: Logger): ConsumerTask {
  for (const reaction of reactions) {
    const together = ({ organization }: ReactionJob) => reaction.handleTogether && (reaction.together === 'all' ? 'all' : organization);
    jobs.defineTogether<ReactionJob>(queueOf(reaction), together, (wanted) => react(reaction, wanted, eventLog, log), RETRY);
  }
  return {
    name: 'reactions',
    async handle(tx: EntityManager, events: readonly EventRecord[]) {
      for (const reaction of reactions) {
        const wanted = events
          .filter(({ event }) => event === reaction.on)
          .map(({ id, recordedAt, organizationId: organization }): ReactionJob => {
            return { eventId: id, occurredAt: recordedAt.toISOString(), organization };
          });
        await jobs.enqueueAll(tx, queueOf(reaction), wanted);
      }
    },
  };
}

/** Lets a reaction handle one event, or several events together. */
async function react(reaction: Reaction, wanted: readonly ReactionJob[], eventLog: EventLog, log: Logger): Promise<void> {
  const events = await eventLog.find(wanted.map(({ eventId, occurredAt }) => ({ id: eventId, recordedAt: new Date(occurredAt) })));
  const found = new Set(events.map(({ id }) => id));
  for (const { eventId } of wanted)
    if (!found.has(eventId)) log.warn({ event: eventId, reaction: reaction.name }, 'the event of a reaction is no longer in the log');
  const [first, ...others] = events.map(toLoggedEvent);
  if (!first) return;
  await inTrace(first.traceparent, { name: `reaction ${reaction.name}`, kind: SpanKind.CONSUMER }, () =>
    others.length > 0 && reaction.handleTogether ? reaction.handleTogether([first, ...others]) : reaction.handle(first),
  );
}
