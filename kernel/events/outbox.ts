import type { EntityManager } from '../database/database.ts';
import { notify } from '../database/notifier.ts';
import { platformTime } from '../organization-clock.ts';
import { traceparent } from '../tracing/tracing.ts';
import type { Expired } from '../work/retention.ts';
import { type DomainEvent, envelopeOf } from './events.ts';

/**
 * The PostgreSQL notification channel that wakes the relay. The text of a notification is the name of the schema whose
 * outbox has new events.
 */
export const OUTBOX_CHANNEL = 'outbox';

/**
 * Returns the SQL of a subgraph's outbox and inbox, for its first migration. The outbox contains recorded events until the relay moves them
 * to the log. The inbox contains the events that the subgraph has handled.
 */
export const outboxTables = (schema: string): string[] => [
  `create table "${schema}"."outbox" (
     "sequence" bigint generated always as identity primary key,
     "id" text not null,
     "organization_id" text not null,
     "event" text not null,
     "subject_type" text not null,
     "subject_id" text not null,
     "account_id" text null,
     "occurred_at" timestamptz(3) not null,
     "payload" text not null
   )`,
  `create table "${schema}"."inbox" (
     "event_id" text not null,
     "reaction" text not null,
     "handled_at" timestamptz(3) not null default now(),
     primary key ("event_id", "reaction")
   )`,
  `create function "${schema}"."notify_outbox"() returns trigger language plpgsql as
     $$ begin perform pg_notify('${OUTBOX_CHANNEL}', '${schema}'); return null; end $$`,
  `create trigger "outbox_notify" after insert on "${schema}"."outbox" for each statement execute function "${schema}"."notify_outbox"()`,
];

/**
 * Returns the SQL that removes the trigger of `outboxTables`. A trigger notifies within the transaction, so that commits wait for each
 * other (kernel/database/notifier.ts). While processes of the previous release still run, other processes find their events by a poll.
 */
export const outboxWithoutTrigger = (schema: string): string[] => [
  `drop trigger if exists "outbox_notify" on "${schema}"."outbox"`,
  `drop function if exists "${schema}"."notify_outbox"()`,
];

/**
 * Returns the SQL of the index that finds expired entries of a subgraph's inbox. Each subgraph runs it in a later
 * migration than `outboxTables`.
 */
export const inboxRetentionIndex = (schema: string): string =>
  `create index "inbox_handled_at_index" on "${schema}"."inbox" ("handled_at")`;

/**
 * Returns the SQL that adds two columns to a subgraph's outbox. `recorded_at` is the time when the event was recorded; null means that the
 * event was recorded at `occurred_at`. `traceparent` is the trace context of the request that caused the event. Each subgraph runs the SQL
 * in a later migration than `outboxTables`.
 */
export const outboxTracing = (schema: string): string =>
  `alter table "${schema}"."outbox" add column "recorded_at" timestamptz(3) null, add column "traceparent" text null`;

/**
 * Number of days for which inbox entries are kept beyond the retention period of the event log, because a job that
 * reacts to an event may still be retried.
 */
const INBOX_MARGIN_DAYS = 7;

/** Returns the condition for inbox entries whose events are no longer in the log. The log keeps events for the number of days in `days`. */
export const expiredInbox = (schema: string, days: number): Expired => ({
  table: `${schema}.inbox`,
  where: `"handled_at" < now() - make_interval(days => $1::int)`,
  values: [days + INBOX_MARGIN_DAYS],
});

/**
 * Inserts an event into the outbox, in the transaction of the change that the event reports. The event is published if,
 * and only if, the transaction commits.
 */
export const record = (tx: EntityManager, event: DomainEvent): Promise<void> => recordAll(tx, [event]);

/** Inserts several events into the outbox, in their order, with one statement. See `record`. */
export async function recordAll(tx: EntityManager, events: readonly DomainEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { schema } = tx.config.getAll();
  const values = events.flatMap((event) => {
    const { id, payload } = envelopeOf(event);
    return [
      id,
      event.organizationId,
      event.type.name,
      event.subject.type,
      event.subject.id,
      event.accountId ?? null,
      event.occurredAt,
      event.recordedAt ?? platformTime() ?? null,
      traceparent() ?? null,
      payload,
    ];
  });
  await tx.execute(
    `insert into "${schema}"."outbox" ("id", "organization_id", "event", "subject_type", "subject_id", "account_id", "occurred_at", "recorded_at", "traceparent", "payload") values ${events.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
    values,
  );
  await notify(tx, { channel: OUTBOX_CHANNEL, payload: schema as string });
}

/**
 * Claims an event for a reaction, in the transaction of the reaction. Returns false if the reaction has already handled
 * the event. An event may be delivered several times. The claim makes sure that the reaction has its effect exactly
 * once.
 */
export const claimOnce = async (tx: EntityManager, eventId: string, reaction: string): Promise<boolean> =>
  (await claimEach(tx, [eventId], reaction)).size > 0;

/** Claims several events for a reaction, as `claimOnce` does. Returns the ids of the events that the reaction has not handled yet. */
export async function claimEach(tx: EntityManager, eventIds: readonly string[], reaction: string): Promise<Set<string>> {
  const { schema } = tx.config.getAll();
  const rows = await tx.execute<{ event_id: string }[]>(
    `insert into "${schema}"."inbox" ("event_id", "reaction")
     select "id", ? from json_array_elements_text(?::json) "id" order by "id" on conflict do nothing returning "event_id"`,
    [reaction, JSON.stringify(eventIds)],
  );
  return new Set(rows.map(({ event_id: id }) => id));
}
