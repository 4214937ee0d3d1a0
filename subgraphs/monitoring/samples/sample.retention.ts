import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { TimePartitions } from '../../../kernel/partitions/time-partitions.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { type Retained, retainedRows } from '../../../kernel/work/retention.ts';
import type { SamplePartitions } from './sample-partitions.ts';

/** Number of days for which samples and rollups are kept. */
export interface KeptDays {
  samples: number;
  minutes: number;
  quarters: number;
}

export const DEFAULT_KEPT: KeptDays = { samples: 2, minutes: 30, quarters: 400 };

interface SampleRetentionParts {
  rows: Rows;
  clock: Clock;
  partitions: SamplePartitions;
  kept: KeptDays;
}

/**
 * Returns the rules for the deletion of old samples, rollups and series. A series is deleted when all its samples and rollups are deleted.
 * A metric is deleted when all its series are deleted.
 */
export function sampleRetention({ rows, clock, partitions, kept }: SampleRetentionParts): Retained[] {
  const before = (days: number): Date => new Date(clock.now().getTime() - days * DAY_MS);
  const dropped = (name: string, table: TimePartitions, days: number): Retained => ({
    name: `monitoring.${name}`,
    count: () => table.countBefore(before(days)),
    delete: async (stopping) => (stopping?.aborted ? 0 : table.dropBefore(before(days))),
  });
  // the last partition with rows of a series ends later than its last sample
  const gone = (): Date => before(kept.quarters + 32);
  return [
    dropped('sample', partitions.samples, kept.samples),
    dropped('rollup_1m', partitions.minutes, kept.minutes),
    dropped('rollup_15m', partitions.quarters, kept.quarters),
    retainedRows(rows, 'monitoring.series', () => ({ where: '"active_at" < $1', values: [gone()] })),
    retainedRows(rows, 'monitoring.metric', () => ({
      where: '"created_at" < $1 and not exists (select 1 from "monitoring"."series" s where s."metric_id" = "metric"."id")',
      values: [gone()],
    })),
  ];
}
