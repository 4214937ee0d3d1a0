import type { Orm } from '../../../kernel/database/database.ts';
import { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';

/**
 * Number of the advisory lock ("events" in ASCII). A transaction holds this lock while it appends to the log or changes
 * the log's partitions.
 */
const LOG_LOCK = 0x6576656e7473;

/**
 * Returns the object that manages the daily partitions of the event log. It keeps a partition until every consumer has
 * read all events of the partition.
 */
export const eventPartitions = (orm: Orm): DailyPartitions =>
  new DailyPartitions({
    orm,
    table: 'event_log',
    lock: LOG_LOCK,
    isNeeded: `"sequence" > (select min("last_sequence") from "${orm.config.getAll().schema}"."consumer")`,
  });
