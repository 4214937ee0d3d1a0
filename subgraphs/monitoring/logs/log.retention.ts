import type { Clock } from '../../../kernel/clock.ts';
import type { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';
import { dayStart } from '../../../kernel/values/days.ts';
import type { Retained } from '../../../kernel/work/retention.ts';

/** Returns the task that deletes log entries of days (UTC) that ended more than `days` days ago. */
export function logRetention({ partitions, days, clock }: { partitions: DailyPartitions; days: number; clock: Clock }): Retained {
  const first = (): Date => dayStart(clock.now(), -days);
  return {
    name: 'monitoring.log_entry',
    count: () => partitions.countBefore(first()),
    delete: async (stopping) => (stopping?.aborted ? 0 : partitions.dropBefore(first())),
  };
}
