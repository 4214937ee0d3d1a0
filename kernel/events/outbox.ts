import type { EntityManager } from '../database/database.ts';
import { traceparent } from '../tracing/tracing.ts';
import type { Expired } from '../work/retention.ts';
import { type DomainEvent, envelopeOf } from './events.ts';

/** The channel that wakes the relay; the payload is the schema whose outbox has news. */
export const OUTBOX_CHANNEL = 'outbox';

/**
 * The outbox of a subgraph (events that its transactions wrote, until the relay moved them to the log) and its inbox (events
 * that it has reacted to). Part of each subgraph's first migration.
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

/** Finds what the inbox of a subgraph has kept long enough. A migration of each subgraph, after its first. */
export const inboxRetentionIndex = (schema: string): string =>
  `create index "inbox_handled_at_index" on "${schema}"."inbox" ("handled_at")`;

/** When an event was recorded, where that is not when it occurred, and the request that led to it. A migration of each subgraph, after its first. */
export const outboxTracing = (schema: string): string =>
  `alter table "${schema}"."outbox" add column "recorded_at" timestamptz(3) null, add column "traceparent" text null`;

/** Longer than an event is in the log, so that it cannot come again: a job that reacts to it may be tried for so long. */
const INBOX_MARGIN_DAYS = 7;

/** Entries of an inbox whose events have left the log, which keeps them for `days`. */
export const expiredInbox = (schema: string, days: number): Expired => ({
  table: `${schema}.inbox`,
  where: `"handled_at" < now() - make_interval(days => $1::int)`,
  values: [days + INBOX_MARGIN_DAYS],
});

/** Writes an event into the transaction that makes it true. It leaves the subgraph when, and only when, that commits. */
export async function record(tx: EntityManager, event: DomainEvent): Promise<void> {
  const { schema } = tx.config.getAll();
  const { id, payload } = envelopeOf(event);
  await tx.execute(
    `insert into "${schema}"."outbox" ("id", "organization_id", "event", "subject_type", "subject_id", "account_id", "occurred_at", "recorded_at", "traceparent", "payload") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      id,
      event.organizationId,
      event.type.name,
      event.subject.type,
      event.subject.id,
      event.accountId ?? null,
      event.occurredAt,
      event.recordedAt ?? null,
      traceparent() ?? null,
      payload,
    ],
  );
}

/**
 * Claims an event for a reaction inside the transaction that reacts to it: false where it was handled before. Events arrive
 * at least once; this makes what they cause happen exactly once.
 */
export async function claimOnce(tx: EntityManager, eventId: string, reaction: string): Promise<boolean> {
  const { schema } = tx.config.getAll();
  const rows = await tx.execute<{ event_id: string }[]>(
    `insert into "${schema}"."inbox" ("event_id", "reaction") values (?, ?) on conflict do nothing returning "event_id"`,
    [eventId, reaction],
  );
  return rows.length > 0;
}
