import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { type Retained, retainedRows } from '../../../kernel/work/retention.ts';

/** Time for which hourly counters are kept, so that a month can be compared with the same month of the previous year. */
export const HOURS_KEPT_MS = 400 * DAY_MS;
const WRITERS_KEPT_MS = DAY_MS;

/**
 * Returns which rows are deleted by age: hourly request counters, and the sequence numbers of processes that counted
 * requests.
 */
export function usageRetention({ rows, clock }: { rows: Rows; clock: Clock }): Retained[] {
  const before = (column: string, keptMs: number) => () => ({
    where: `"${column}" < $1`,
    values: [new Date(clock.now().getTime() - keptMs)],
  });
  return [
    retainedRows(rows, 'identity.usage_hour_counter', before('hour', HOURS_KEPT_MS)),
    retainedRows(rows, 'identity.usage_writer_counter', before('written_at', WRITERS_KEPT_MS)),
  ];
}
