import { SpanKind } from '@opentelemetry/api';
import { type Db, type Job, PgBoss, type Queue as QueueDefinition } from 'pg-boss';
import type { Database, EntityManager } from '../database/database.ts';
import type { Logger } from '../log/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { inTrace, traceparent } from '../tracing/tracing.ts';
import { JobDatabase } from './database.ts';
import { sampleJobs } from './metrics.ts';
import { jobSchema, JOB_SCHEMA as SCHEMA } from './schema.ts';

/** The member of a job's data that holds the trace context of the request that led to it; handlers do not see it. */
const TRACEPARENT = '$traceparent';
const EXPIRE_SECONDS = 120;
/** How often each worker polls by itself. It is woken for what is due, so this finds nothing unless a wake-up was lost again and again. */
const WORKER_POLL_SECONDS = 600;
/** How many workers a queue has at most, unless it says otherwise. */
const DEFAULT_CONCURRENCY = 4;
const FLOW_SECONDS = 3600;
/** How long a job is on record after it ended: long enough to find out why one failed. */
const KEPT_SECONDS = 24 * 3600;
/** How often those that ended longer ago are deleted. */
const MAINTENANCE_SECONDS = 3600;
/** The jobs of a process that died are tried again once they missed it. */
const HEARTBEAT_SECONDS = 10;

export interface JobOptions {
  /** Not before this instant. */
  startAfter?: Date;
}

export interface QueueOptions {
  /** How often a failed job is tried again, with exponential back-off from `retryDelaySeconds`. */
  retryLimit?: number;
  retryDelaySeconds?: number;
  retryDelayMaxSeconds?: number;
  /** How many jobs of this queue a process works on side by side. */
  concurrency?: number;
  /** Whether the jobs of an organization wait, by the `organizationId` of their data. It is asked again every minute. */
  waits?: ((organizationId: string) => Promise<boolean>) | undefined;
}

/** After how long it is asked again whether a job waits. */
const WAIT_SECONDS = 60;

interface Queue {
  options: QueueOptions;
  handle(data: object): Promise<void>;
  /** The workers that have no job. */
  idle: Set<string>;
  /** How many workers were started. */
  workers: number;
}

/**
 * What must happen later, once and in spite of crashes: pg-boss on the same database, so that a job is enqueued by the
 * transaction that needs it. A handler runs at least once; it must find out itself what is already done.
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
      // our migrator does that, under its lock
      migrate: false,
      useListenNotify: true,
      reindex: false,
      // nothing is scheduled by a calendar, and no job waits for another
      schedule: false,
      maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
      flowIntervalSeconds: FLOW_SECONDS,
      monitorVacuum: false,
      ...(database.pglite && { backend: 'pglite' }),
    });
    this.#boss.on('error', (error) => log.error({ err: error }, 'job queue'));
    this.#boss.on('warning', (warning) => log.debug({ warning }, 'job queue'));
  }

  /** States a queue and what its jobs do; before `start`. */
  define<T extends object>(name: string, handle: (data: T) => Promise<void>, options: QueueOptions = {}): void {
    this.#queues.set(name, { options, handle: handle as (data: object) => Promise<void>, idle: new Set(), workers: 0 });
  }

  /** Without `work` it only enqueues: other processes do what is to be done. */
  async start({ work = true } = {}): Promise<void> {
    await this.database.migrate([jobSchema]);
    // before it starts, which reads the settings of all queues: a transaction that enqueues must not have to
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

  /** Creates the queues that are not there yet, and updates those to which an earlier version gave other settings. */
  async #createQueues(): Promise<void> {
    const stored = new Map((await this.#boss.getQueues()).map((queue) => [queue.name, queue]));
    for (const [name, { options }] of this.#queues) {
      const settings = settingsOf(options);
      const queue = stored.get(name);
      if (!queue) await this.#boss.createQueue(name, settings);
      else if (differs(queue, settings)) await this.#boss.updateQueue(name, settings);
    }
  }

  /** What a killed process was working on goes on at once: no other process can be at the same embedded database. */
  async #releaseActive(): Promise<void> {
    await this.#db.executeSql(`update ${SCHEMA}.job set state = 'retry', start_after = ${SCHEMA}.job_now() where state = 'active'`);
  }

  /** Enqueues with the transaction: the job exists if, and only if, it commits. */
  async enqueue(tx: EntityManager, queue: string, data: object, { startAfter }: JobOptions = {}): Promise<void> {
    if (!this.#queues.has(queue)) throw new Error(`There is no queue ${queue}.`);
    // it would read the queue's settings on a connection of its own, and PGlite has only the one that the transaction holds
    if (!this.#isStarted) throw new Error('Jobs are enqueued when the queues stand.');
    const parent = traceparent();
    await this.#boss.send(queue, parent ? { ...data, [TRACEPARENT]: parent } : data, { startAfter, db: inTransaction(tx) });
  }

  /** Moves the queue's idea of now by an offset, for tests that move the clock, and looks for what is due. */
  async shiftClock(offsetMs: number): Promise<void> {
    const body = `select pg_catalog.now() + interval '${Math.round(offsetMs)} milliseconds'`;
    await this.#db.executeSql(`create or replace function ${SCHEMA}.job_now() returns timestamptz language sql stable as $$ ${body} $$`);
    this.database.poller.pollNow();
  }

  /** Lets the jobs that are under way end; the others wait for the next start. */
  async stop(timeoutMs = 10_000): Promise<void> {
    this.#isWorking = false;
    this.#stopPolling?.();
    this.#stopSampling?.();
    await this.#boss.stop({ graceful: true, timeout: timeoutMs });
    await this.#db.close();
  }

  /** Wakes a worker that has no job, or starts another where there may be more. Most queues are empty: their workers would only ask for nothing. */
  #wakeOne(name: string): void {
    const queue = this.#queues.get(name);
    if (!queue || !this.#isWorking) return;
    const [worker] = queue.idle;
    if (worker) this.#boss.notifyWorker(worker);
    else if (queue.workers < (queue.options.concurrency ?? DEFAULT_CONCURRENCY)) void this.#startWorker(name, queue);
  }

  /** Each worker is one of its own: by one id pg-boss wakes one, also where it made several. It asks for a job at once. */
  async #startWorker(name: string, queue: Queue): Promise<void> {
    queue.workers += 1;
    const settings = { pollingIntervalSeconds: WORKER_POLL_SECONDS, notifyPollingIntervalSeconds: WORKER_POLL_SECONDS };
    let worker = '';
    worker = await this.#boss.work(name, settings, async ([job]: Job<object>[]) => {
      if (!job) return;
      queue.idle.delete(worker);
      // where one was due more may be: for another worker now, and for this one when it is done
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

  /** A job that waits is enqueued anew: its attempts are not used up, and it is never too old to begin. */
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
 * Which of these queues have a job that is due: one probe of its index for each, whatever waits. A notification tells only of what
 * is due at once; retries and later jobs are found by this. Workers that polled for themselves would be some thirty statements a second.
 */
const DUE_QUEUES = `select q.name from unnest($1::text[]) as q (name) where exists (
  select from ${SCHEMA}.job j where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= ${SCHEMA}.job_now())`;

/** pg-boss's statements, sent through the transaction of an entity manager. */
function inTransaction(tx: EntityManager): Db {
  return {
    async executeSql(text, values = []) {
      const kysely = tx.getTransactionContext<import('kysely').Transaction<unknown>>();
      if (!kysely) throw new Error('Jobs are enqueued inside a transaction.');
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
