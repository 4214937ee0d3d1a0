import type { Rows } from '../database/database.ts';

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

/**
 * Deletes rows that have expired, batch by batch, until none is left, it was enough for one pass, or the process stops. Rows that
 * somebody has locked are left to the next pass, so that it waits for nobody and several processes delete side by side.
 */
export async function deleteExpired(rows: Pick<Rows, 'query'>, { table, where, values }: Expired, signal?: AbortSignal): Promise<number> {
  const name = table.replace(/\w+/g, '"$&"');
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
