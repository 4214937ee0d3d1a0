import { SpanKind } from '@opentelemetry/api';
import { type Db, type Job, PgBoss, type Queue as QueueDefinition } from 'pg-boss';
import type { Database, EntityManager } from '../database/database.ts';
import type { Logger } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { inTrace, traceparent } from '../tracing/tracing.ts';
import { JobDatabase } from './database.ts';
import { sampleJobs } from './metrics.ts';
import { jobSchema, JOB_SCHEMA as SCHEMA } from './schema.ts';

/** The property of a job's data that holds the trace context of its request. Handlers do not see it. */
const TRACEPARENT = '$traceparent';
const EXPIRE_SECONDS = 120;
/** How often each worker polls. Workers are woken when a job is due, so polling finds something only after lost notifications. */
const WORKER_POLL_SECONDS = 600;
/** Default maximum number of workers of a queue. */
const DEFAULT_CONCURRENCY = 4;
const FLOW_SECONDS = 3600;
/** How long a finished job is kept: long enough to investigate a failure. */
const KEPT_SECONDS = 24 * 3600;
/** How often older finished jobs are deleted. */
const MAINTENANCE_SECONDS = 3600;
/** The interval of heartbeats. Jobs of a dead process are retried after they miss one. */
const HEARTBEAT_SECONDS = 10;

export interface JobOptions {
  /** The job does not start before this time. */
  startAfter?: Date;
}

export interface QueueOptions {
  /** How often a failed job is retried, with exponential back-off from `retryDelaySeconds`. */
  retryLimit?: number;
  retryDelaySeconds?: number;
  retryDelayMaxSeconds?: number;
  /** How many jobs of this queue a process runs in parallel. */
  concurrency?: number;
  /**
   * Returns true if the jobs of an organization must wait. The organization is the `organizationId` of the job's data. Checked again every
   * minute.
   */
  waits?: ((organizationId: string) => Promise<boolean>) | undefined;
}

/** The interval at which a waiting job is checked again. */
const WAIT_SECONDS = 60;

interface Queue {
  options: QueueOptions;
  handle(data: object): Promise<void>;
  /** Ids of the workers that have no job. */
  idle: Set<string>;
  /** Number of workers that were started. */
  workers: number;
}

/**
 * Durable background jobs: pg-boss on the same database, so that a transaction enqueues the jobs that it needs. A handler runs at least
 * once, and must recognize what is already done.
 */
export class Jobs {
  readonly #boss: PgBoss;
  readonly #db: JobDatabase;
  readonly #queues = new Map<string, Queue>();
  #stopPolling: (() => void) | undefined;
  #stopSampling: (() => void) | undefined;
  #isStarted = false;
  #isWorking = false;

  constructor(
    private readonly database: Database,
    private readonly log: Logger,
    private readonly metrics?: Metrics,
  ) {
    this.#db = new JobDatabase(database, (queue) => this.#wakeOne(queue), log);
    this.#boss = new PgBoss({
      db: this.#db,
      schema: SCHEMA,
      // our migrator creates the schema, under its lock
      migrate: false,
      useListenNotify: true,
      reindex: false,
      // no job has a calendar schedule or depends on another job
      schedule: false,
      maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
      flowIntervalSeconds: FLOW_SECONDS,
      monitorVacuum: false,
      ...(database.pglite && { backend: 'pglite' }),
    });
    this.#boss.on('error', (error) => log.error({ err: error }, 'job queue'));
    this.#boss.on('warning', (warning) => log.debug({ warning }, 'job queue'));
  }

  /** Defines a queue and the handler of its jobs. Call it before `start`. */
  define<T extends object>(name: string, handle: (data: T) => Promise<void>, options: QueueOptions = {}): void {
    this.#queues.set(name, { options, handle: handle as (data: object) => Promise<void>, idle: new Set(), workers: 0 });
  }

  /** Starts the queues. With `work: false` the process only enqueues, and other processes run the jobs. */
  async start({ work = true } = {}): Promise<void> {
    await this.database.migrate([jobSchema]);
    // before pg-boss starts, because the start caches the settings of all queues: a transaction that enqueues must not have to read them
    await this.#createQueues();
    await this.#boss.start();
    if (this.database.pglite && work) await this.#releaseActive();
    this.#isStarted = true;
    if (!work) return;
    this.#isWorking = true;
    this.#stopPolling = this.database.poller.add({
      name: 'job queue',
      query: DUE_QUEUES,
      values: () => [[...this.#queues.keys()]],
      found: (names) => {
        for (const name of names) this.#wakeOne(name);
      },
    });
    this.database.poller.pollNow();
    const queues = [...this.#queues.keys()];
    if (this.metrics) this.#stopSampling = sampleJobs({ db: this.#db, schema: SCHEMA, queues, metrics: this.metrics, log: this.log });
  }

  /** Creates missing queues and updates those whose settings have changed since an earlier version. */
  async #createQueues(): Promise<void> {
    const stored = new Map((await this.#boss.getQueues()).map((queue) => [queue.name, queue]));
    for (const [name, { options }] of this.#queues) {
      const settings = settingsOf(options);
      const queue = stored.get(name);
      if (!queue) await this.#boss.createQueue(name, settings);
      else if (differs(queue, settings)) await this.#boss.updateQueue(name, settings);
    }
  }

  /** Retries jobs of a killed process at once: no other process can use the same embedded database. */
  async #releaseActive(): Promise<void> {
    await this.#db.executeSql(`update ${SCHEMA}.job set state = 'retry', start_after = ${SCHEMA}.job_now() where state = 'active'`);
  }

  /** Enqueues a job in the transaction: the job exists if, and only if, the transaction commits. */
  async enqueue(tx: EntityManager, queue: string, data: object, { startAfter }: JobOptions = {}): Promise<void> {
    if (!this.#queues.has(queue)) throw new Error(`There is no queue ${queue}.`);
    // pg-boss would read the queue's settings on another connection, and PGlite has only the one that the transaction uses
    if (!this.#isStarted) throw new Error('Jobs can be enqueued only after the queues have started.');
    const parent = traceparent();
    await this.#boss.send(queue, parent ? { ...data, [TRACEPARENT]: parent } : data, { startAfter, db: inTransaction(tx) });
  }

  /** Moves the queue's clock by an offset and polls for due jobs. For tests that move the clock. */
  async shiftClock(offsetMs: number): Promise<void> {
    const body = `select pg_catalog.now() + interval '${Math.round(offsetMs)} milliseconds'`;
    await this.#db.executeSql(`create or replace function ${SCHEMA}.job_now() returns timestamptz language sql stable as $$ ${body} $$`);
    this.database.poller.pollNow();
  }

  /** Waits for running jobs to end. The others wait for the next start. */
  async stop(timeoutMs = 10_000): Promise<void> {
    this.#isWorking = false;
    this.#stopPolling?.();
    this.#stopSampling?.();
    await this.#boss.stop({ graceful: true, timeout: timeoutMs });
    await this.#db.close();
  }

  /** Wakes an idle worker, or starts another one up to the maximum. Workers start on demand because most queues are empty. */
  #wakeOne(name: string): void {
    const queue = this.#queues.get(name);
    if (!queue || !this.#isWorking) return;
    const [worker] = queue.idle;
    if (worker) this.#boss.notifyWorker(worker);
    else if (queue.workers < (queue.options.concurrency ?? DEFAULT_CONCURRENCY)) void this.#startWorker(name, queue);
  }

  /** Each worker is registered separately: by a shared id pg-boss wakes only one of them. A new worker fetches a job at once. */
  async #startWorker(name: string, queue: Queue): Promise<void> {
    queue.workers += 1;
    const settings = { pollingIntervalSeconds: WORKER_POLL_SECONDS, notifyPollingIntervalSeconds: WORKER_POLL_SECONDS };
    let worker = '';
    worker = await this.#boss.work(name, settings, async ([job]: Job<object>[]) => {
      if (!job) return;
      queue.idle.delete(worker);
      // more jobs may be due: for another worker now, and for this one when it is done
      this.#wakeOne(name);
      this.#boss.notifyWorker(worker);
      try {
        if (await this.#waits(name, job)) return;
        await this.#run(name, job, queue.handle);
      } finally {
        queue.idle.add(worker);
      }
    });
    queue.idle.add(worker);
  }

  /** A job that must wait is enqueued again, so that its attempts are not used up and it never expires. */
  async #waits(name: string, { data }: Job<object>): Promise<boolean> {
    const { organizationId } = data as { organizationId?: string };
    const mustWait = organizationId !== undefined && (await this.#queues.get(name)?.options.waits?.(organizationId));
    if (mustWait) await this.#boss.send(name, data, { startAfter: WAIT_SECONDS });
    return mustWait ?? false;
  }

  async #run(name: string, job: Job<object>, handle: (data: object) => Promise<void>): Promise<void> {
    const { jobsRunning, jobDuration } = this.metrics ?? {};
    const began = performance.now();
    const observe = (outcome: string): void => jobDuration?.observe({ queue: name, outcome }, (performance.now() - began) / 1000);
    jobsRunning?.inc({ queue: name });
    try {
      const { [TRACEPARENT]: parent, ...data } = job.data as { [TRACEPARENT]?: string };
      await inTrace(parent, { name: `job ${name}`, kind: SpanKind.CONSUMER }, () => handle(data));
      observe('completed');
    } catch (error) {
      observe('failed');
      this.log.warn({ queue: name, job: job.id, err: error }, 'a job failed');
      throw error;
    } finally {
      jobsRunning?.dec({ queue: name });
    }
  }
}

type QueueSettings = Required<
  Pick<
    QueueDefinition,
    | 'retryLimit'
    | 'retryDelay'
    | 'retryBackoff'
    | 'retryDelayMax'
    | 'expireInSeconds'
    | 'heartbeatSeconds'
    | 'deleteAfterSeconds'
    | 'notify'
  >
>;

const settingsOf = ({ retryLimit = 5, retryDelaySeconds = 2, retryDelayMaxSeconds = 300 }: QueueOptions): QueueSettings => ({
  retryLimit,
  retryDelay: retryDelaySeconds,
  retryBackoff: true,
  retryDelayMax: retryDelayMaxSeconds,
  expireInSeconds: EXPIRE_SECONDS,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  deleteAfterSeconds: KEPT_SECONDS,
  notify: true,
});

const differs = (queue: QueueDefinition, settings: QueueSettings): boolean =>
  Object.entries(settings).some(([setting, value]) => queue[setting as keyof QueueSettings] !== value);

/**
 * Selects the queues that have a due job, with one index probe per queue, however many jobs wait.
 * Notifications report only jobs that are due at once; this query finds retries and delayed jobs. Polling by each worker would cost about
 * thirty statements a second.
 */
const DUE_QUEUES = `select q.name from unnest($1::text[]) as q (name) where exists (
  select from ${SCHEMA}.job j where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= ${SCHEMA}.job_now())`;

/** Runs the statements of pg-boss in the transaction of an entity manager. */
function inTransaction(tx: EntityManager): Db {
  return {
    async executeSql(text, values = []) {
      const kysely = tx.getTransactionContext<import('kysely').Transaction<unknown>>();
      if (!kysely) throw new Error('Jobs must be enqueued inside a transaction.');
      const { rows } = await kysely.executeQuery({
        sql: text,
        parameters: values,
        query: { kind: 'RawNode' },
        queryId: { queryId: 'job' },
      } as never);
      return { rows: [...rows] };
    },
  };
}
