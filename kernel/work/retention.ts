import type { Rows } from '../database/database.ts';
import { PeriodicTask, type PeriodicTaskSchedule } from './periodic-task.ts';

/** Rows deleted by one statement: a short transaction, so that nobody waits long for it. */
const BATCH = 1_000;
/** Maximum number of batches per pass, so that a pass does not load the database for hours. The next pass continues. */
const BATCHES = 200;

/** Rows that are no longer needed. */
export interface Expired {
  /** With its schema, such as `identity.session`. Not partitioned. */
  table: string;
  /** SQL condition of the expired rows, with parameters `$1`, `$2`, …. An index must support it. */
  where: string;
  values: readonly unknown[];
}

/** One kind of records that are deleted by their age. */
export interface Retained {
  /** For example `identity.session`. */
  name: string;
  /** Returns how many records are due for deletion. */
  count(): Promise<number>;
  /** Deletes as many as one pass may, and returns their number. */
  delete(stopping?: AbortSignal): Promise<number>;
}

/** Retention of the rows of a table. `expired` is called at each pass, since it depends on the time. */
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

/** Deletes expired records at an interval. */
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
 * Deletes expired rows in batches, until none is left, the limit of one pass is reached, or the process stops.
 * Locked rows are left to the next pass, so the deletion never waits and several processes can delete in parallel.
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

/** Quotes a name: `support.ticket` becomes `"support"."ticket"`. */
const quoted = (table: string): string => table.replace(/\w+/g, '"$&"');
