import type { Rows } from '../database/database.ts';
import { PeriodicTask, type PeriodicTaskSchedule } from './periodic-task.ts';

/** What one statement deletes: a short transaction, for which nobody waits long. */
const BATCH = 1_000;
/** What one pass deletes at most, so that it does not keep the database busy for hours: the next pass goes on. */
const BATCHES = 200;

/** Rows that nobody asks about any more. */
export interface Expired {
  /** With its schema, such as `identity.session`. Not partitioned. */
  table: string;
  /** What is true of them, with `$1`, `$2`, …; an index finds them. */
  where: string;
  values: readonly unknown[];
}

/** One kind of records that are deleted by their age. */
export interface Retained {
  /** `identity.session` */
  name: string;
  /** How many are to be deleted now. */
  count(): Promise<number>;
  /** Deletes as many as one pass should, and says how many. */
  delete(stopping?: AbortSignal): Promise<number>;
}

/** Rows of a table. `expired` is asked at each pass, since it depends on the time. */
export function retainedRows(rows: Pick<Rows, 'query'>, name: string, expired: () => Omit<Expired, 'table'>): Retained {
  return {
    name,
    async count() {
      const { where, values } = expired();
      const [row] = await rows.query<{ count: number }>(`select count(*)::int as count from ${quoted(name)} where ${where}`, values);
      return row?.count ?? 0;
    },
    delete: (stopping) => deleteExpired(rows, { table: name, ...expired() }, stopping),
  };
}

/** Deletes what has expired, every so often. */
export class RetentionTask extends PeriodicTask {
  constructor(
    schedule: PeriodicTaskSchedule,
    private readonly retained: () => readonly Retained[],
  ) {
    super(schedule);
  }

  override async run(stopping?: AbortSignal): Promise<void> {
    for (const one of this.retained()) await one.delete(stopping);
  }
}

/**
 * Deletes rows that have expired, batch by batch, until none is left, it was enough for one pass, or the process stops. Rows that
 * somebody has locked are left to the next pass, so that it waits for nobody and several processes delete side by side.
 */
export async function deleteExpired(rows: Pick<Rows, 'query'>, { table, where, values }: Expired, signal?: AbortSignal): Promise<number> {
  const name = quoted(table);
  const text = `with gone as (
      delete from ${name} where ctid = any(array(select ctid from ${name} where ${where} limit ${BATCH} for update skip locked)) returning 1)
    select count(*)::int as count from gone`;
  let deleted = 0;
  for (let batch = 0; batch < BATCHES && !signal?.aborted; batch += 1) {
    const [row] = await rows.query<{ count: number }>(text, values);
    deleted += row?.count ?? 0;
    if ((row?.count ?? 0) < BATCH) break;
  }
  return deleted;
}

/** `support.ticket` is `"support"."ticket"`. */
const quoted = (table: string): string => table.replace(/\w+/g, '"$&"');
