import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';
import { dateOf, dayStart } from '../../../kernel/values/days.ts';
import { type Retained, retainedRows } from '../../../kernel/work/retention.ts';

/**
 * Number of days for which daily sums are kept: more than a year, so that a month can be compared with the same month of the previous year.
 */
const SUMS_KEPT_DAYS = 400;

export interface SampleRetentionParts {
  rows: Rows;
  partitions: DailyPartitions;
  /** Number of whole days for which samples are kept. */
  days: number;
  clock: Clock;
}

/** Returns the rules for the deletion of old samples and of old daily sums. */
export function sampleRetention({ rows, partitions, days, clock }: SampleRetentionParts): Retained[] {
  const first = (): Date => dayStart(clock.now(), -days);
  return [
    {
      name: 'services.service_sample',
      count: () => partitions.countBefore(first()),
      delete: async (stopping) => (stopping?.aborted ? 0 : partitions.dropBefore(first())),
    },
    retainedRows(rows, 'services.service_sample_day', () => ({
      where: '"day" < $1',
      values: [dateOf(dayStart(clock.now(), -SUMS_KEPT_DAYS))],
    })),
  ];
}
