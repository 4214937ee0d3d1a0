import { createHash } from 'node:crypto';
import pg from 'pg';
import { JOB_SCHEMA as SCHEMA } from './schema.ts';

/** The settings of a queue that are stored with each of its jobs. */
export interface InsertedSettings {
  retryLimit: number;
  retryDelay: number;
  retryBackoff: boolean;
  retryDelayMax: number;
  expireInSeconds: number;
  heartbeatSeconds: number;
  deleteAfterSeconds: number;
  retentionSeconds: number;
}

/** Start time of a job: a point in time, or a number of seconds from now. */
export type Start = Date | number;

const POLICY = 'standard';
/** The channel on which pg-boss notifies workers: `notifyChannelSql` in its plans.js. The text of a notification is the name of the queue. */
export const JOB_CHANNEL = `pgboss_${createHash('sha224').update(SCHEMA).digest('hex').slice(0, 24)}`;
const NOW = `${SCHEMA}.job_now()`;
const text = (value: string): string => pg.escapeLiteral(value);

/**
 * Returns the SQL that inserts jobs into a queue of pg-boss, with the same columns as `PgBoss.send`. The statement of
 * pg-boss reads the settings of the queue and returns the ids, and PostgreSQL plans it for longer than it runs. This
 * statement needs no result, so it is sent together with COMMIT (kernel/database/transactions.ts).
 */
export function insertionOf(queue: string, settings: InsertedSettings, jobs: readonly object[], startAfter?: Start): string {
  const start = startAtOf(startAfter);
  const shared = [
    start,
    NOW,
    `${start} + interval '${settings.retentionSeconds} seconds'`,
    settings.expireInSeconds,
    settings.deleteAfterSeconds,
    settings.retryLimit,
    settings.retryDelay,
    settings.retryBackoff,
    settings.retryDelayMax,
    settings.heartbeatSeconds,
    text(POLICY),
  ].join(', ');
  const rows = jobs.map((data) => `(${text(queue)}, ${text(JSON.stringify(data))}, ${shared})`);
  return `insert into ${SCHEMA}.job (name, data, start_after, created_on, keep_until, expire_seconds, deletion_seconds,
    retry_limit, retry_delay, retry_backoff, retry_delay_max, heartbeat_seconds, policy) values ${rows.join(', ')}`;
}

function startAtOf(startAfter?: Start): string {
  if (startAfter instanceof Date) return `${text(startAfter.toISOString())}::timestamptz`;
  return startAfter ? `${NOW} + interval '${startAfter} seconds'` : NOW;
}
