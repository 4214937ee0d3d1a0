import type { Orm } from '../../../kernel/database/database.ts';
import { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';

/** Number of the advisory lock for appending to the log and for changing its partitions ("events" in ASCII). */
const LOG_LOCK = 0x6576656e7473;

/** Creates the access to the partitions of the event log. A partition is kept until every consumer has read it. */
export const eventPartitions = (orm: Orm): DailyPartitions =>
  new DailyPartitions({
    orm,
    table: 'event_log',
    lock: LOG_LOCK,
    isNeeded: `"sequence" > (select min("last_sequence") from "${orm.config.getAll().schema}"."consumer")`,
  });
