import type { Orm } from '../../../kernel/database/database.ts';
import { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';

/** Number of the advisory lock ("usage" in ASCII) that is held while partitions of the usage events are created or dropped. */
const USAGE_LOCK = 0x7573616765;

/** Returns the object that manages the partitions of the usage events, by the day on which an event was recorded. */
export const usagePartitions = (orm: Orm): DailyPartitions => new DailyPartitions({ orm, table: 'usage_event', lock: USAGE_LOCK });
