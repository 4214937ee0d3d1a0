import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { EventTypes } from '../event-types/event-types.ts';
import type { EventRecord } from './event.entity.ts';
import { keptFrom } from './event.retention.ts';
import type { EventLog } from './event-log.ts';

const BATCH = 1_000;
/** Maximum number of problems that each query of `#tables` returns. */
const FOUND_MAX = 1_000;

export interface EventVerificationParts {
  rows: Rows;
  eventLog: EventLog;
  eventTypes: EventTypes;
  retentionDays: number;
  clock: Clock;
}

export interface VerificationReport {
  /** Reports a problem as text that contains the ids of the affected records. */
  problem(line: string): void;
  /** Called with each batch of events, in the order of the log. */
  batch(events: readonly EventRecord[]): Promise<void>;
}

const envelope = z.object({
  id: z.string(),
  event: z.string(),
  timestamp: z.string(),
  organization_id: z.string(),
  data: z.record(z.string(), z.unknown()),
});

/** Reads the whole event log and reports inconsistencies. It changes nothing and takes no locks. */
export class EventVerification {
  constructor(private readonly parts: EventVerificationParts) {}

  /**
   * Runs all checks. Counts gaps in the sequence, which are no problem: a transaction that is rolled back leaves a gap.
   */
  async run(report: VerificationReport): Promise<{ events: number; gaps: number }> {
    for (const line of await this.#tables()) report.problem(line);
    let [events, gaps, last] = [0, 0, 0];
    for (;;) {
      const batch = await this.parts.eventLog.after(last, BATCH);
      for (const event of batch) {
        if (last > 0) gaps += Math.max(0, event.sequence - last - 1);
        last = event.sequence;
        for (const reason of this.#problemsOf(event)) report.problem(`event ${event.id} (${event.event}, ${event.sequence}): ${reason}`);
      }
      events += batch.length;
      await report.batch(batch);
      if (batch.length < BATCH) return { events, gaps };
    }
  }

  #problemsOf({ id, event, organizationId, occurredAt, payload }: EventRecord): string[] {
    const read = envelope.safeParse(parsed(payload));
    if (!read.success) return ['its payload is not a valid event'];
    const says = read.data;
    const differs = Object.entries({ id, event, organization_id: organizationId, timestamp: occurredAt.toISOString() })
      .filter(([name, value]) => says[name as keyof typeof says] !== value)
      .map(([name]) => `its payload has a different ${name}`);
    const type = this.parts.eventTypes.find(event);
    const misfits = type?.data.safeParse(says.data).error?.issues ?? [];
    return [...differs, ...misfits.map(({ path, message }) => `data.${path.join('.')} does not match its schema: ${message}`)];
  }

  /** Runs the checks that need whole tables, as SQL queries. Returns the problems. */
  async #tables(): Promise<string[]> {
    const { rows, clock, retentionDays } = this.parts;
    const find = async (text: string, values: readonly unknown[] = []): Promise<string[]> =>
      (await rows.query<{ found: string }>(`${text} limit ${FOUND_MAX}`, values)).map(({ found }) => found);
    const twice = await find(`select "id" as found from "events"."event_log" group by "id" having count(*) > 1`);
    const sameNumber = await find(`select "sequence"::text as found from "events"."event_log" group by "sequence" having count(*) > 1`);
    const detached = await find(
      `select c.relname::text as found from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'events' and c.relkind = 'r' and c.relname ~ '^event_log_\\d{8}$' and not c.relispartition`,
    );
    const head = await this.parts.eventLog.head();
    const beyond = await find('select "name" as found from "events"."consumer" where "last_sequence" > $1', [head]);
    const dangling = await find(
      `select d."id" || ' of event ' || d."event_id" as found from "events"."delivery" d
       where d."sequence" is not null and d."occurred_at" >= $1
         and not exists (select from "events"."event_log" e where e."id" = d."event_id" and e."occurred_at" = d."occurred_at")`,
      [keptFrom(clock.now(), retentionDays)],
    );
    return [
      ...twice.map((id) => `event ${id} is in the log more than once`),
      ...sameNumber.map((sequence) => `several events have the sequence ${sequence}: a reader may miss one`),
      ...detached.map((name) => `the table events.${name} is not attached to the log: its events are not read`),
      ...beyond.map((name) => `the consumer ${name} is beyond the end of the log (${head}): it would miss new events`),
      ...dangling.map((line) => `the delivery ${line}: the log does not have the event`),
    ];
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
