import type { EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import { notify } from '../../../kernel/database/notifier.ts';
import { PREPARED, type StatementOptions } from '../../../kernel/database/statements.ts';
import type { LoggedEvent } from '../../../kernel/events/events.ts';
import type { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';
import { RowMapper } from '../../../kernel/records/row-mapper.ts';
import type { EventTypes } from '../event-types/event-types.ts';
import type { Feed, Range } from '../stream/feed.ts';
import { EventRecord } from './event.entity.ts';
import type { EventSelection } from './event-selection.ts';
import { RecentEvents } from './recent.events.ts';

/** PostgreSQL NOTIFY channel that announces new events. */
export const EVENT_LOG_CHANNEL = 'event_log';

export interface Span {
  organizationId: string;
  names: ReadonlySet<string>;
  since: Date;
  until: Date;
}

/** Key of an event in the log. */
export interface Wanted {
  organizationId: string;
  eventId: string;
  /** Time when the event was recorded. This time determines the partition of the event. */
  occurredAt: Date;
}

/** Payload of an event, and the trace context of the request that caused it. */
export type EventPayload = Pick<EventRecord, 'payload' | 'traceparent'>;

/** The event log of all organizations, for internal use. The position of an event in this feed is its `sequence`. */
export class EventLog implements Feed<EventRecord, EventSelection> {
  readonly #map: RowMapper<EventRecord>;
  /** Columns of an event with the table alias `e`. */
  readonly #columns: string;
  readonly #schema: string;
  readonly #table: string;
  readonly #consumers: string;
  readonly recent = new RecentEvents();

  constructor(
    orm: Orm,
    private readonly rows: Rows,
    private readonly eventTypes: EventTypes,
    private readonly partitions: DailyPartitions,
  ) {
    this.#map = new RowMapper(orm.getMetadata().get<EventRecord>(EventRecord), orm.em.getPlatform());
    this.#columns = this.#map.columns('e');
    this.#schema = `"${orm.config.getAll().schema}"`;
    this.#table = `${this.#schema}."event_log"`;
    this.#consumers = `${this.#schema}."consumer"`;
  }

  /**
   * Appends events from the relay. Events that are already in the log are ignored. Only one transaction at a time can
   * append. So sequences become visible in increasing order, and a reader misses no event.
   */
  async append(events: readonly Omit<LoggedEvent, 'sequence'>[]): Promise<void> {
    const batch = events.map(
      ({ id, organizationId, event, subject, accountId, occurredAt, recordedAt = occurredAt, traceparent, payload }) => ({
        id,
        organization_id: organizationId,
        event,
        family: this.eventTypes.familyOf(event),
        subject_type: subject.type,
        subject_id: subject.id,
        account_id: accountId,
        occurred_at: recordedAt,
        event_time: recordedAt.getTime() === occurredAt.getTime() ? null : occurredAt,
        traceparent,
        payload,
      }),
    );
    const times = events.map(({ occurredAt, recordedAt = occurredAt }) => recordedAt);
    const append = async (tx: EntityManager): Promise<void> => {
      await tx.execute(
        `insert into ${this.#table} ("id", "organization_id", "event", "family", "subject_type", "subject_id", "account_id", "occurred_at", "event_time", "traceparent", "payload")
         select * from json_to_recordset(?::json) as e("id" text, "organization_id" text, "event" text, "family" text, "subject_type" text, "subject_id" text, "account_id" text, "occurred_at" timestamptz, "event_time" timestamptz, "traceparent" text, "payload" text)
         on conflict ("id", "occurred_at") do nothing`,
        [JSON.stringify(batch)],
      );
      await notify(tx, { channel: EVENT_LOG_CHANNEL, payload: '' });
    };
    await this.partitions.writing(times, append, true);
  }

  /** Returns the sequence of the last event; 0 if the log is empty. */
  async head(): Promise<number> {
    const [row] = await this.rows.query<{ head: string | number | null }>(`select max("sequence") as head from ${this.#table}`, []);
    return Number(row?.head ?? 0);
  }

  /** Returns the first events after `sequence`, of all organizations, in increasing order of sequence. */
  async after(sequence: number, limit: number): Promise<EventRecord[]> {
    const events = await this.#records(
      `select ${this.#columns} from ${this.#schema}."events_after"($1, $2) e`,
      [sequence, limit],
      PREPARED,
    );
    this.recent.keep(events);
    return events;
  }

  /** Returns when the oldest event was recorded whose deliveries are not planned yet. Undefined if the planner has processed all events. */
  async oldestUnplanned(): Promise<Date | undefined> {
    const [row] = await this.rows.query<{ occurred_at: Date | string }>(
      `select "occurred_at" from ${this.#schema}."events_after"((select "last_sequence" from ${this.#consumers} where "name" = 'webhooks'), 1)`,
      [],
    );
    return row && new Date(row.occurred_at);
  }

  newer(position: string): string {
    return `select 1 from ${this.#schema}."events_after"(${position}, 1)`;
  }

  /** Returns the selected events of one organization in a range, in increasing order of sequence. */
  async range(selection: EventSelection, { after, upTo, limit }: Range): Promise<EventRecord[]> {
    const { organizationId, names, accounts, subjectId } = selection;
    const values: unknown[] = [organizationId, after, upTo, [...names], limit];
    const narrowed = Object.entries({ account_id: accounts, subject_id: subjectId && [subjectId] })
      .filter(([, ids]) => ids !== undefined)
      .map(([column, ids]) => ` and "${column}" = any($${values.push(ids)}::text[])`);
    return this.#records(
      `select ${this.#columns} from ${this.#table} e where "organization_id" = $1 and "sequence" > $2 and "sequence" <= $3 and "event" = any($4)${narrowed.join('')} order by "sequence" limit $5`,
      values,
    );
  }

  positionOf({ sequence }: EventRecord): number {
    return sequence;
  }

  /**
   * Counts the events of an organization that have one of the `names` and were recorded in a period. Also returns their
   * first and last sequence. Leaves out events that the delivery planner has not processed yet.
   */
  async span({ organizationId, names, since, until }: Span): Promise<{ count: number; first: number; last: number }> {
    const [row] = await this.rows.query<{ count: string; first: string | null; last: string | null }>(
      `select count(*) as count, min("sequence") as first, max("sequence") as last from ${this.#table}
       where "organization_id" = $1 and "event" = any($2) and "occurred_at" >= $3 and "occurred_at" < $4
         and "sequence" <= (select "last_sequence" from ${this.#consumers} where "name" = 'webhooks')`,
      [organizationId, [...names], since, until],
    );
    return { count: Number(row?.count ?? 0), first: Number(row?.first ?? 0), last: Number(row?.last ?? 0) };
  }

  /** Returns the payloads of events by event id. The result has no entry for an event that is no longer in the log. */
  async payloads(wanted: readonly Wanted[]): Promise<ReadonlyMap<string, EventPayload>> {
    const known = wanted.map(({ organizationId, eventId }) => this.recent.find(organizationId, eventId));
    const payloads = new Map(known.flatMap((event): [string, EventPayload][] => (event ? [[event.id, event]] : [])));
    const missing = wanted.filter(({ eventId }) => !payloads.has(eventId));
    if (missing.length === 0) return payloads;
    const rows = await this.rows.query<EventPayload & { id: string }>(
      `select "id", "payload", "traceparent" from ${this.#table} where "id" = any($1) and "occurred_at" = any($2)`,
      [missing.map(({ eventId }) => eventId), [...new Set(missing.map(({ occurredAt }) => occurredAt.toISOString()))]],
      PREPARED,
    );
    for (const row of rows) payloads.set(row.id, row);
    return payloads;
  }

  /** Returns the events that are still in the log, in the given order. `recordedAt` is the time when an event was recorded. */
  async find(wanted: readonly { id: string; recordedAt: Date }[]): Promise<EventRecord[]> {
    const events = new Map(wanted.map(({ id }) => [id, this.recent.get(id)]));
    const missing = wanted.filter(({ id }) => !events.get(id));
    if (missing.length > 0) {
      const found = await this.#records(
        `select ${this.#columns} from ${this.#table} e where "id" = any($1) and "occurred_at" = any($2)`,
        [missing.map(({ id }) => id), [...new Set(missing.map(({ recordedAt }) => recordedAt.toISOString()))]],
        PREPARED,
      );
      for (const event of found) events.set(event.id, event);
    }
    return [...events.values()].filter((event) => event !== undefined);
  }

  async #records(text: string, values: readonly unknown[], options?: StatementOptions): Promise<EventRecord[]> {
    const rows = await this.rows.tuples(text, values, options);
    return rows.map((row) => this.#map.read(row));
  }
}

/** Converts an event to the form that reactions and log consumers receive. */
export const toLoggedEvent = ({
  id,
  sequence,
  organizationId,
  event,
  subjectType,
  subjectId,
  accountId,
  occurredAt,
  recordedAt,
  traceparent,
  payload,
}: EventRecord): LoggedEvent => ({
  id,
  sequence: String(sequence),
  organizationId,
  event,
  subject: { type: subjectType, id: subjectId },
  accountId,
  occurredAt,
  recordedAt,
  traceparent,
  payload,
});
