import type { Database, Orm } from '../database/database.ts';
import type { Logger } from '../log/log.ts';
import type { Lease } from '../work/lease.ts';
import { WorkLoop } from '../work/work-loop.ts';
import type { LoggedEvent } from './events.ts';
import { OUTBOX_CHANNEL } from './outbox.ts';

const BATCH = 500;

export interface Outbox {
  schema: string;
  database: Database;
  orm: Orm;
}

/** Receives the events of the outboxes. */
export interface EventSink {
  /** Appends events in the order of the log. The same event may be appended again; it is recognized by its id. */
  append(events: Omit<LoggedEvent, 'sequence'>[]): Promise<void>;
  /** Returns a lease, with which one of several processes relays an outbox. */
  leaseOf(name: string): Lease;
}

interface OutboxRow {
  sequence: string;
  id: string;
  organization_id: string;
  event: string;
  subject_type: string;
  subject_id: string;
  account_id: string | null;
  occurred_at: Date;
  recorded_at: Date | null;
  traceparent: string | null;
  payload: string;
}

/**
 * Moves events from the outboxes of the subgraphs to the log, oldest first. An event that was recorded after the commit
 * of another event comes after that event in the log.
 * An outbox row is deleted only after its event is in the log. After a crash between these two steps the event is
 * repeated, but never lost. A lease lets one of several processes relay an outbox. `onOldest` is called with the time of the oldest event
 * in an outbox.
 */
export class Relay {
  readonly #loops: Map<string, WorkLoop>;
  readonly #leases: readonly Lease[];
  #stops: (() => void)[] = [];

  constructor(
    private readonly outboxes: Outbox[],
    private readonly sink: EventSink,
    private readonly log: Logger,
    private readonly onOldest: (schema: string, occurredAt: Date | undefined) => void = () => undefined,
  ) {
    const loops = outboxes.map((outbox) => {
      const lease = sink.leaseOf(`outbox ${outbox.schema}`);
      const drain = async (): Promise<boolean> => {
        const isMore = await lease.use(() => this.#drain(outbox));
        if (isMore === undefined) this.onOldest(outbox.schema, undefined);
        return isMore ?? false;
      };
      return { lease, named: [outbox.schema, new WorkLoop(drain, log)] as const };
    });
    this.#leases = loops.map(({ lease }) => lease);
    this.#loops = new Map(loops.map(({ named }) => named));
  }

  async start(): Promise<void> {
    for (const database of new Set(this.outboxes.map((outbox) => outbox.database))) {
      await database.listen(OUTBOX_CHANNEL, (schema) => (schema ? this.#loops.get(schema)?.wake() : this.wake()));
    }
    for (const loop of this.#loops.values()) loop.start();
    this.#stops = this.outboxes.map(({ schema, database }) =>
      database.poller.add({
        name: `${schema}.outbox`,
        query: `select 1 from "${schema}"."outbox" order by "sequence" limit 1`,
        found: () => this.#loops.get(schema)?.wake(),
      }),
    );
  }

  wake(): void {
    for (const loop of this.#loops.values()) loop.wake();
  }

  /** Returns for each outbox when its oldest event was recorded. Undefined if the outbox is empty. */
  oldest(): Promise<Date | undefined>[] {
    return this.outboxes.map(async ({ schema, orm }) => {
      const text = `select "recorded_at", "occurred_at" from "${schema}"."outbox" order by "sequence" limit 1`;
      const [row] = await orm.em.getConnection().execute<Pick<OutboxRow, 'recorded_at' | 'occurred_at'>[]>(text);
      return row && new Date(row.recorded_at ?? row.occurred_at);
    });
  }

  /** Stops after the current batches. The remaining events stay in the outboxes. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()));
    await Promise.all(this.#leases.map((lease) => lease.release()));
  }

  async #drain({ schema, orm }: Outbox): Promise<boolean> {
    const connection = orm.em.getConnection();
    const rows = await connection.execute<OutboxRow[]>(`select * from "${schema}"."outbox" order by "sequence" limit ${BATCH}`);
    this.onOldest(schema, rows[0] && new Date(rows[0].recorded_at ?? rows[0].occurred_at));
    if (rows.length === 0) return false;
    await this.sink.append(rows.map(toEvent));
    await connection.execute(
      `delete from "${schema}"."outbox" where "sequence" in (${rows.map(() => '?').join(',')})`,
      rows.map((row) => row.sequence),
    );
    this.log.debug({ schema, events: rows.length }, 'relayed');
    if (rows.length === BATCH) return true;
    this.onOldest(schema, undefined);
    return false;
  }
}

function toEvent(row: OutboxRow): Omit<LoggedEvent, 'sequence'> {
  return {
    id: row.id,
    organizationId: row.organization_id,
    event: row.event,
    subject: { type: row.subject_type, id: row.subject_id },
    accountId: row.account_id,
    occurredAt: new Date(row.occurred_at),
    recordedAt: new Date(row.recorded_at ?? row.occurred_at),
    traceparent: row.traceparent,
    payload: row.payload,
  };
}
