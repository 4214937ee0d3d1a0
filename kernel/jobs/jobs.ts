import { SpanKind } from '@opentelemetry/api';
import pg from 'pg';
import { type Db, type Job, PgBoss, type Queue as QueueDefinition } from 'pg-boss';
import type { Database, EntityManager } from '../database/database.ts';
import type { Logger } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { inTrace, traceparent } from '../tracing/tracing.ts';
import { JobDatabase } from './database.ts';
import { sampleJobs } from './metrics.ts';
import { jobSchema, JOB_SCHEMA as SCHEMA } from './schema.ts';

/**
 * The property of a job's data that contains the trace context of the request. The property is removed before the
 * handler runs.
 */
const TRACEPARENT = '$traceparent';
const EXPIRE_SECONDS = 120;
/**
 * Polling interval of each worker. Workers are woken when a job is due, so polling finds a job only if a notification
 * was lost.
 */
const WORKER_POLL_SECONDS = 600;
/** Default maximum number of workers of a queue. */
const DEFAULT_CONCURRENCY = 4;
const FLOW_SECONDS = 3600;
/** How long a finished job is kept, so that a failure can be investigated. */
const KEPT_SECONDS = 24 * 3600;
/** How long a job is retried before it is deleted: long enough that a cause which needs a person is removed before. */
const RETRIED_SECONDS = 365 * 24 * 3600;
/** Interval at which old finished jobs are deleted. */
const MAINTENANCE_SECONDS = 3600;
/** Interval of heartbeats. Jobs of a dead process are retried after a heartbeat is missed. */
const HEARTBEAT_SECONDS = 10;

export interface JobOptions {
  /** The job does not start before this time. */
  startAfter?: Date;
}

export interface QueueOptions {
  /** Maximum number of retries of a failed job. The delay starts at `retryDelaySeconds` and grows exponentially. */
  retryLimit?: number;
  retryDelaySeconds?: number;
  retryDelayMaxSeconds?: number;
  /** Maximum number of jobs of this queue that a process runs in parallel. */
  concurrency?: number;
  /**
   * Returns true if the jobs of an organization must wait. Waiting jobs are checked again every minute. The
   * organization is the `organizationId` in the data of the job.
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
  /** Number of workers that this process has started for the queue. */
  workers: number;
}

/**
 * Durable background jobs with pg-boss. Jobs and records are in the same database, so that a transaction can enqueue
 * jobs. A handler may run more than once for a job, and must recognize work that is already done.
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
      // SchemaMigrator creates the schema instead, under its own lock
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

  /** Starts the queues. With `work: false`, this process only enqueues jobs, and other processes run them. */
  async start({ work = true } = {}): Promise<void> {
    await this.database.migrate([jobSchema]);
    // the queues are created before pg-boss starts, because it then caches the settings of all queues; so a transaction
    // that enqueues a job need not read the settings
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

  /** Creates missing queues, and updates queues whose settings differ from the stored settings. */
  async #createQueues(): Promise<void> {
    const stored = new Map((await this.#boss.getQueues()).map((queue) => [queue.name, queue]));
    for (const [name, { options }] of this.#queues) {
      const settings = settingsOf(options);
      const queue = stored.get(name);
      if (!queue) await this.#boss.createQueue(name, settings);
      else if (differs(queue, settings)) await this.#boss.updateQueue(name, settings);
    }
  }

  /**
   * Immediately retries jobs that a killed process has left active. Only for PGlite: no other process can use the same
   * embedded database, so no other process runs these jobs.
   */
  async #releaseActive(): Promise<void> {
    await this.#db.executeSql(`update ${SCHEMA}.job set state = 'retry', start_after = ${SCHEMA}.job_now() where state = 'active'`);
  }

  /** Enqueues a job in a transaction. The job exists if, and only if, the transaction commits. */
  async enqueue(tx: EntityManager, queue: string, data: object, { startAfter }: JobOptions = {}): Promise<void> {
    if (!this.#queues.has(queue)) throw new Error(`There is no queue ${queue}.`);
    // before the start, pg-boss would read the settings of the queue on another connection, but the transaction uses
    // the only connection of PGlite
    if (!this.#isStarted) throw new Error('Jobs can be enqueued only after the queues have started.');
    const parent = traceparent();
    await this.#boss.send(queue, parent ? { ...data, [TRACEPARENT]: parent } : data, { startAfter, db: inTransaction(tx) });
  }

  /** Enqueues several jobs with one statement, in a transaction. The jobs exist if, and only if, the transaction commits. */
  async enqueueAll(tx: EntityManager, queue: string, jobs: readonly object[]): Promise<void> {
    if (!this.#queues.has(queue)) throw new Error(`There is no queue ${queue}.`);
    if (!this.#isStarted) throw new Error('Jobs can be enqueued only after the queues have started.');
    const parent = traceparent();
    const inserted = jobs.map((data) => ({ data: parent ? { ...data, [TRACEPARENT]: parent } : data }));
    await this.#boss.insert(queue, inserted, { db: inTransaction(tx) });
  }

  /**
   * Sets the clock of the queues to `offsetMs` after the database clock, and polls for due jobs. Tests call it when
   * they move their clock.
   */
  async shiftClock(offsetMs: number): Promise<void> {
    const body = `select pg_catalog.now() + interval '${Math.round(offsetMs)} milliseconds'`;
    await this.#db.executeSql(`create or replace function ${SCHEMA}.job_now() returns timestamptz language sql stable as $$ ${body} $$`);
    this.database.poller.pollNow();
  }

  /** Stops the workers and waits for running jobs to end. Jobs that have not started wait for the next start. */
  async stop(timeoutMs = 10_000): Promise<void> {
    this.#isWorking = false;
    this.#stopPolling?.();
    this.#stopSampling?.();
    await this.#boss.stop({ graceful: true, timeout: timeoutMs });
    await this.#db.close();
  }

  /**
   * Wakes an idle worker of a queue. If no worker is idle, it starts another worker, up to the maximum number. Workers
   * start on demand because most queues are empty.
   */
  #wakeOne(name: string): void {
    const queue = this.#queues.get(name);
    if (!queue || !this.#isWorking) return;
    const [worker] = queue.idle;
    if (worker) this.#boss.notifyWorker(worker);
    else if (queue.workers < (queue.options.concurrency ?? DEFAULT_CONCURRENCY)) void this.#startWorker(name, queue);
  }

  /**
   * Starts a worker, which immediately fetches a job. Each worker is registered separately, because pg-boss would wake
   * only one of several workers with the same id.
   */
  async #startWorker(name: string, queue: Queue): Promise<void> {
    queue.workers += 1;
    const settings = { pollingIntervalSeconds: WORKER_POLL_SECONDS, notifyPollingIntervalSeconds: WORKER_POLL_SECONDS };
    let worker = '';
    worker = await this.#boss.work(name, settings, async ([job]: Job<object>[]) => {
      if (!job) return;
      queue.idle.delete(worker);
      // more jobs may be due: another worker fetches one now, and this worker fetches one after the current job
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

  /**
   * Returns true if a job must wait. The function then enqueues a copy of the job that starts a minute later. The copy
   * has all its retries, so a job can wait for any length of time.
   */
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
    | 'retentionSeconds'
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
  retentionSeconds: RETRIED_SECONDS,
  notify: true,
});

const differs = (queue: QueueDefinition, settings: QueueSettings): boolean =>
  Object.entries(settings).some(([setting, value]) => queue[setting as keyof QueueSettings] !== value);

/**
 * Selects the queues that have a due job, with one index lookup per queue, so the time does not depend on the number of
 * waiting jobs.
 * Notifications report only jobs that are due immediately; this query finds retries and delayed jobs. Polling by each
 * worker would cost about thirty statements a second.
 */
const DUE_QUEUES = `select q.name from unnest($1::text[]) as q (name) where exists (
  select from ${SCHEMA}.job j where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= ${SCHEMA}.job_now())`;

/**
 * Runs the statements of pg-boss in the transaction of an entity manager. Texts are written into the statement, because a
 * statement with parameters cannot be sent in one message with BEGIN (kernel/database/transactions.ts).
 */
function inTransaction(tx: EntityManager): Db {
  return {
    async executeSql(text, values = []) {
      const kysely = tx.getTransactionContext<import('kysely').Transaction<unknown>>();
      if (!kysely) throw new Error('Jobs must be enqueued inside a transaction.');
      const isText = values.every((value) => typeof value === 'string');
      const { rows } = await kysely.executeQuery({
        sql: isText ? text.replace(/\$(\d+)/g, (_, number) => pg.escapeLiteral(String(values[Number(number) - 1]))) : text,
        parameters: isText ? [] : values,
        query: { kind: 'RawNode' },
        queryId: { queryId: 'job' },
      } as never);
      return { rows: [...rows] };
    },
  };
}
