import type { Orm } from '../../../kernel/database/database.ts';
import { PERIODS, TimePartitions } from '../../../kernel/partitions/time-partitions.ts';

/** First of the numbers of the advisory locks that are held while partitions are created or dropped ("monit" and a number in ASCII). */
const LOCK = 0x6d6f6e697430;

/** The partitions of samples and rollups. Partitions are small, so that one partition can be dropped while others are written. */
export interface SamplePartitions {
  samples: TimePartitions;
  minutes: TimePartitions;
  quarters: TimePartitions;
}

export const samplePartitions = (orm: Orm): SamplePartitions => ({
  samples: new TimePartitions({
    orm,
    table: 'sample',
    lock: LOCK,
    period: PERIODS.quarterDay,
    // samples must not be dropped before they are rolled up
    isNeeded: `"at" >= (select "minutes_until" from "monitoring"."rollup_state")`,
  }),
  minutes: new TimePartitions({ orm, table: 'rollup_1m', lock: LOCK + 1, period: PERIODS.day }),
  quarters: new TimePartitions({ orm, table: 'rollup_15m', lock: LOCK + 2, period: PERIODS.month }),
});
