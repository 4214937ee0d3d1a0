import type { Orm } from '../../../kernel/database/database.ts';
import { DailyPartitions } from '../../../kernel/partitions/daily-partitions.ts';

/** Number of the advisory lock ("sample" in ASCII) that is held while partitions of the samples are created or dropped. */
const SAMPLE_LOCK = 0x73616d706c65;

/** Returns the object that manages the daily partitions of the samples. */
export const samplePartitions = (orm: Orm): DailyPartitions => new DailyPartitions({ orm, table: 'service_sample', lock: SAMPLE_LOCK });
