import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';
import { dayStart } from '../../../kernel/values/days.ts';
import { type Retained, retainedRows } from '../../../kernel/work/retention.ts';

/** Number of days for which usage events and their ids are kept: 13 months. Daily sums are kept forever, because invoices contain them. */
const EVENTS_KEPT_DAYS = 396;

/** Returns the rules that delete old usage events and their ids. The ids prevent counting an event twice. */
export function usageRetention({ rows, clock, partitions }: { rows: Rows; clock: Clock; partitions: DailyPartitions }): Retained[] {
  const first = (): Date => dayStart(clock.now(), -EVENTS_KEPT_DAYS);
  return [
    {
      name: 'billing.usage_event',
      count: () => partitions.countBefore(first()),
      delete: async (stopping) => (stopping?.aborted ? 0 : partitions.dropBefore(first())),
    },
    retainedRows(rows, 'billing.usage_key', () => ({ where: '"occurred_at" < $1', values: [first()] })),
  ];
}
