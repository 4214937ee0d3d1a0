import type { Db } from 'pg-boss';
import type { Logger } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';

/** Maximum number of jobs that a sample counts per queue, so that the sample reads only a limited part of an index. */
const COUNTED = 10_001;

export interface JobQueues {
  db: Db;
  schema: string;
  queues: readonly string[];
}

export interface JobSampling extends JobQueues {
  metrics: Metrics;
  log: Logger;
}

interface QueueRow {
  name: string;
  waiting: number;
  overdue: number | null;
  failed: number | null;
}

/**
 * Samples how many jobs are waiting, how long the oldest job has waited, and how many jobs have failed permanently.
 * Sampling stops when the returned function is called.
 */
export function sampleJobs({ db, schema, queues, metrics, log }: JobSampling): () => void {
  return metrics.samples.add(`jobs ${queues[0] ?? ''}`, log, async () => {
    for (const { name: queue, waiting, overdue, failed } of await readQueues({ db, schema, queues })) {
      metrics.jobsWaiting.set({ queue }, waiting);
      metrics.jobsOldest.set({ queue }, Math.max(0, overdue ?? 0));
      metrics.jobsFailed.set({ queue }, failed ?? 0);
    }
  });
}

/** Returns for how many seconds the oldest job that is due has been waiting to begin. 0 if no job is due. */
export async function oldestDueSeconds(queues: JobQueues): Promise<number> {
  return Math.max(0, ...(await readQueues(queues)).map(({ overdue }) => overdue ?? 0));
}

async function readQueues({ db, schema, queues }: JobQueues): Promise<QueueRow[]> {
  // the subquery uses the index by which workers find jobs; pg-boss updates `failed_count` once a minute
  const text = `select q.name, w.waiting, w.overdue, k.failed_count as failed
    from unnest($1::text[]) as q (name) left join ${schema}.queue k on k.name = q.name cross join lateral (
      select count(*)::int as waiting, extract(epoch from ${schema}.job_now() - min(j.start_after))::float8 as overdue from (
        select start_after from ${schema}.job where name = q.name and state < 'active' and not blocked
        order by priority desc, created_on limit ${COUNTED}) j) w`;
  const { rows } = await db.executeSql(text, [[...queues]]);
  return rows as QueueRow[];
}
