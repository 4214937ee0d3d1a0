import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';

const FLUSH_EVERY_MS = 3_000;

interface Row {
  organization_id: string;
  hour: string;
  requests: number;
  weight: number;
}

/** Counts to write. A retry writes the same rows with the same sequence number, so that they are counted once. */
interface Batch {
  sequence: number;
  rows: Row[];
}

/**
 * Counts the requests of organizations by hour and month in memory (specification 8.1). Writes the counts every few
 * seconds, so that a request costs no write. If the process is killed, the customer does not pay for counts that were
 * not yet written. A batch whose commit was not confirmed is not counted twice.
 */
export class RequestUsage {
  readonly #writer = randomUUID();
  #pending = new Map<string, Row>();
  #batch: Batch | undefined;
  #sequence = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly orm: Orm,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Counts requests. A negative number undoes an earlier count. */
  count(organizationId: string, { requests, weight }: { requests: number; weight: number }, at: Date): void {
    const hourMs = at.getTime() - (at.getTime() % HOUR_MS);
    const key = `${organizationId} ${hourMs}`;
    const row = this.#pending.get(key);
    if (row) {
      row.requests += requests;
      row.weight += weight;
    } else this.#pending.set(key, { organization_id: organizationId, hour: new Date(hourMs).toISOString(), requests, weight });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** Writes the counts in one statement. If the write fails, the counts are kept and written with the next flush. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeAll());
    return this.#writing;
  }

  /** Writes batches one at a time. While a batch cannot be written, new counts are added to the next batch. */
  async #writeAll(): Promise<void> {
    for (let batch = this.#nextBatch(); batch; batch = this.#nextBatch()) {
      try {
        await this.#write(batch);
        this.#batch = undefined;
      } catch (error) {
        this.log.warn({ err: error }, 'The usage of organizations could not be written; it is kept and will be retried');
        this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS).unref();
        return;
      }
    }
  }

  #nextBatch(): Batch | undefined {
    if (!this.#batch && this.#pending.size > 0) {
      this.#batch = { sequence: ++this.#sequence, rows: [...this.#pending.values()] };
      this.#pending = new Map();
    }
    return this.#batch;
  }

  /** Writes the rows of a batch. All processes use the same order of rows, which prevents deadlocks. */
  async #write({ sequence, rows }: Batch): Promise<void> {
    const { schema } = this.orm.config.getAll();
    await this.orm.em.getConnection().execute(
      `with batch as (
         select * from jsonb_to_recordset(?::jsonb) as u("organization_id" text, "hour" timestamptz, "requests" bigint, "weight" bigint)
       ), writer as (
         insert into "${schema}"."usage_writer_counter" as w ("id", "sequence", "written_at") values (?, ?, ?)
         on conflict ("id") do update set "sequence" = excluded."sequence", "written_at" = excluded."written_at"
           where w."sequence" < excluded."sequence"
         returning 1
       ), hours as (
         insert into "${schema}"."usage_hour_counter" as h ("organization_id", "hour", "requests", "weight")
         select * from batch where exists (select 1 from writer) order by 1, 2
         on conflict ("organization_id", "hour") do update
           set "requests" = h."requests" + excluded."requests", "weight" = h."weight" + excluded."weight"
       )
       insert into "${schema}"."usage_month_counter" as m ("organization_id", "month", "requests")
       select "organization_id", date_trunc('month', "hour" at time zone 'UTC')::date, sum("requests")
       from batch where exists (select 1 from writer) group by 1, 2 order by 1, 2
       on conflict ("organization_id", "month") do update set "requests" = m."requests" + excluded."requests"`,
      [JSON.stringify(rows), this.#writer, sequence, this.clock.now()],
      'run',
    );
  }
}
