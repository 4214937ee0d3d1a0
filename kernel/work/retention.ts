import type { Rows } from '../database/database.ts';
import { PeriodicTask, type PeriodicTaskSchedule } from './periodic-task.ts';

/** Number of rows that one statement deletes. Short transactions make sure that other transactions do not wait long. */
const BATCH = 1_000;
/**
 * Maximum number of batches per run, so that a run does not slow down the database for hours. The next run deletes the
 * rest.
 */
const BATCHES = 200;

/** Rows of a table that can be deleted. */
export interface Expired {
  /** Name of the table with its schema, such as `identity.session`. The table must not be partitioned. */
  table: string;
  /** SQL condition that selects the expired rows, with the parameters `$1`, `$2`, …. An index must support it. */
  where: string;
  values: readonly unknown[];
}

/** One kind of records that are deleted by their age. */
export interface Retained {
  /** Name of the records, such as `identity.session`. */
  name: string;
  /** Returns how many records are due for deletion. */
  count(): Promise<number>;
  /** Deletes expired records up to the limit of one run. Returns the number of deleted records. */
  delete(stopping?: AbortSignal): Promise<number>;
}

/**
 * Creates a `Retained` that counts and deletes the expired rows of the table `name`. `expired` is called again each
 * time, because its result depends on the current time.
 */
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
 * Deletes expired rows in batches, until no row is left, the limit of one run is reached, or the process stops. Rows
 * that are locked remain for the next run. So the deletion never waits, and several processes can delete in parallel.
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

/** Quotes a table name: `support.ticket` becomes `"support"."ticket"`. */
const quoted = (table: string): string => table.replace(/\w+/g, '"$&"');
