import { PERIODS, TimePartitions, type TimePartitionsOptions } from './time-partitions.ts';

/** Partitions of one day (UTC) each, such as `event_log_20260131`. */
export class DailyPartitions extends TimePartitions {
  constructor(options: Omit<TimePartitionsOptions, 'period'>) {
    super({ ...options, period: PERIODS.day });
  }
}
