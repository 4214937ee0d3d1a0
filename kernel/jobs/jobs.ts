import { AsyncLocalStorage } from 'node:async_hooks';
import { SpanKind } from '@opentelemetry/api';
import { type Job, PgBoss } from 'pg-boss';
import type { Database, EntityManager } from '../database/database.ts';
import { notify } from '../database/notifier.ts';
import { PlatformError } from '../errors/errors.ts';
import type { Logger } from '../log/log.ts';
import type { OrganizationLog } from '../log/organization-log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { inTrace, traceparent } from '../tracing/tracing.ts';
import { JobDatabase } from './database.ts';
import { insertionOf, JOB_CHANNEL, type Start } from './insertion.ts';
import { oldestDueSeconds, sampleJobs } from './metrics.ts';
import { differs, type QueueOptions, settingsOf } from './queue-settings.ts';
import { QueueWorker } from './queue-worker.ts';
import { jobSchema, JOB_SCHEMA as SCHEMA } from './schema.ts';

/**
 * The property of a job's data that contains the trace context of the request. The property is removed before the
 * handler runs.
 */
const TRACEPARENT = '$traceparent';
/** The property of a job's data that marks a held job. The property is removed before the handler runs. */
const HELD = '$held';
/** Default maximum number of jobs of a queue that a process runs at the same time. */
const DEFAULT_CONCURRENCY = 4;
const FLOW_SECONDS = 3600;
/** Interval at which one of the processes looks for jobs of dead processes and for expired jobs. By default, pg-boss looks every minute. */
const SUPERVISION_SECONDS = 15;
/** Interval at which old finished jobs are deleted. */
const MAINTENANCE_SECONDS = 3600;
export interface JobOptions {
  /** The job does not start before this time. */
  startAfter?: Date;
}

/** Function that runs a job of an organization, for example with the sandbox clock of the organization. */
export type RunWithin = (organizationId: string, act: () => Promise<void>) => Promise<void>;

/** Time after which workers run a held job that `runHeld` has not run. */
const HELD_SECONDS = 60;
/** Maximum number of held jobs that one call of `runHeld` runs. */
const HELD_AT_ONCE = 100;

/** The interval at which a waiting job is checked again. */
const WAIT_SECONDS = 60;

interface Queue {
  options: QueueOptions;
  handle(jobs: readonly object[]): Promise<void>;
  /** Returns the same text for jobs that are handled together. Undefined: every job of the queue is handled alone. */
  together?: ((data: object) => string | undefined) | undefined;
  /** Worker that runs the jobs of the queue in this process. It is created for the first job, because most queues are empty. */
  worker?: QueueWorker;
}

/**
 * Durable background jobs with pg-boss. Jobs and records are in the same database, so that a transaction can enqueue
 * jobs. A handler may run more than once for a job, and must recognize work that is already done.
 */
export class Jobs {
  readonly #boss: PgBoss;
  readonly #db: JobDatabase;
  readonly #queues = new Map<string, Queue>();
  readonly #held = new AsyncLocalStorage<ReadonlySet<string>>();
  #around: { prefix: string; run: RunWithin } | undefined;
  #stopPolling: (() => void) | undefined;
  #stopSampling: (() => void) | undefined;
  /** See `shiftClock`. */
  #offsetMs = 0;
  #isStarted = false;
  #isWorking = false;

  constructor(
    private readonly database: Database,
    private readonly log: Logger,
    private readonly metrics?: Metrics,
    private readonly organizationLog?: OrganizationLog,
  ) {
    this.#db = new JobDatabase(database, (queue) => this.#wake(queue), log);
    this.#boss = new PgBoss({
      db: this.#db,
      schema: SCHEMA,
      // SchemaMigrator creates the schema instead, under its own lock
      migrate: false,
      useListenNotify: true,
      reindex: false,
      // no job has a calendar schedule or depends on another job
      schedule: false,
      superviseIntervalSeconds: SUPERVISION_SECONDS,
      monitorIntervalSeconds: SUPERVISION_SECONDS,
      maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
      flowIntervalSeconds: FLOW_SECONDS,
      monitorVacuum: false,
      ...(database.pglite && { backend: 'pglite' }),
    });
    this.#boss.on('error', (error) => log.error({ err: error }, 'job queue'));
    this.#boss.on('warning', (warning) => log.debug({ warning }, 'job queue'));
  }

  /** Sets the function that runs the jobs of organizations, for queues whose names begin with `prefix`. Call it before `define`. */
  within(prefix: string, run: RunWithin): void {
    this.#around = { prefix, run };
  }

  /**
   * Returns true if one of the queues has an unfinished job of an organization: a job that has neither succeeded nor failed permanently.
   */
  async isBusy(organizationId: string, queues: readonly string[]): Promise<boolean> {
    const { rows } = await this.#db.executeSql(
      `select from ${SCHEMA}.job where name = any($1::text[]) and state < 'completed' and data->>'organizationId' = $2 limit 1`,
      [[...queues], organizationId],
    );
    return rows.length > 0;
  }

  /**
   * Runs `act`, and holds the jobs that it enqueues in the given queues, so that `runHeld` can run them in this process. Workers run a held
   * job after a minute, for example because this process has died.
   */
  hold<T>(queues: readonly string[], act: () => Promise<T>): Promise<T> {
    return this.#held.run(new Set(queues), act);
  }

  /**
   * Runs held jobs of an organization, some of them in parallel, and returns their number. Workers retry jobs that fail, and run jobs that
   * must wait.
   */
  async runHeld(organizationId: string, queues: readonly string[]): Promise<number> {
    const { rows } = await this.#db.executeSql(
      `select id, name, data from ${SCHEMA}.job where name = any($1::text[]) and state = 'created' and start_after > ${SCHEMA}.job_now()
         and data->>'${HELD}' = 'true' and data->>'organizationId' = $2 order by created_on limit ${HELD_AT_ONCE}`,
      [[...queues], organizationId],
    );
    const failed: string[] = [];
    const jobs = (rows as Job<object>[]).values();
    const run = async (): Promise<void> => {
      for (const job of jobs) await this.#runHeldJob(job).catch(() => failed.push(job.id));
    };
    await Promise.all(Array.from({ length: DEFAULT_CONCURRENCY }, run));
    if (rows.length > 0)
      await this.#db.executeSql(
        `update ${SCHEMA}.job set state = case when id = any($2::uuid[]) then state else 'completed' end,
           completed_on = case when id = any($2::uuid[]) then null else ${SCHEMA}.job_now() end,
           start_after = case when id = any($2::uuid[]) then ${SCHEMA}.job_now() else start_after end
         where name = any($1::text[]) and id = any($3::uuid[]) and state = 'created'`,
        [[...queues], failed, rows.map(({ id }) => id)],
      );
    return rows.length;
  }

  async #runHeldJob(job: Job<object> & { name: string }): Promise<void> {
    const queue = this.#queues.get(job.name);
    const { organizationId = '' } = job.data as { organizationId?: string };
    if (!queue || (await queue.options.waits?.(organizationId))) throw new Error('A worker lets the job wait.');
    await this.#run(job.name, [job], queue.handle);
  }

  /** Defines a queue and the handler of its jobs. Call it before `start`. */
  define<T extends object>(name: string, handle: (data: T) => Promise<void>, options: QueueOptions = {}): void {
    const around = this.#around && name.startsWith(this.#around.prefix) ? this.#around.run : undefined;
    const run = async (data: object): Promise<void> => {
      const { organizationId } = data as { organizationId?: string };
      await (around && organizationId ? around(organizationId, () => handle(data as T)) : handle(data as T));
    };
    this.#queues.set(name, {
      options,
      handle: async (jobs) => {
        for (const job of jobs) await run(job);
      },
    });
  }

  /**
   * Defines a queue whose handler handles several due jobs together: those for which `together` returns the same text, at most
   * `TOGETHER_MAX` at a time, in the order in which they were enqueued. If the handler fails for several jobs, each of them is handled
   * alone, so only a job with an error is retried. A job for which `together` returns undefined is always handled alone.
   */
  defineTogether<T extends object>(
    name: string,
    together: (data: T) => string | undefined,
    handle: (jobs: readonly T[]) => Promise<void>,
    options: Omit<QueueOptions, 'waits'> = {},
  ): void {
    this.#queues.set(name, {
      options,
      handle: (jobs) => handle(jobs as readonly T[]),
      together: (data) => together(data as T),
    });
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
        for (const name of names) this.#wake(name);
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

  /** Immediately retries jobs that a killed process has left active. Used only for PGlite, where no other process can run these jobs. */
  async #releaseActive(): Promise<void> {
    await this.#db.executeSql(`update ${SCHEMA}.job set state = 'retry', start_after = ${SCHEMA}.job_now() where state = 'active'`);
  }

  /** Enqueues a job in a transaction. The job exists if, and only if, the transaction commits. */
  enqueue(tx: EntityManager, queue: string, data: object, { startAfter }: JobOptions = {}): Promise<void> {
    return this.#insert(tx, queue, [data], startAfter);
  }

  /** Enqueues several jobs with one statement, in a transaction. The jobs exist if, and only if, the transaction commits. */
  enqueueAll(tx: EntityManager, queue: string, jobs: readonly object[]): Promise<void> {
    return this.#insert(tx, queue, jobs);
  }

  async #insert(tx: EntityManager, name: string, jobs: readonly object[], startAfter?: Start): Promise<void> {
    const queue = this.#queues.get(name);
    if (!queue) throw new Error(`There is no queue ${name}.`);
    if (!this.#isStarted) throw new Error('Jobs can be enqueued only after the queues have started.');
    if (!tx.isInTransaction()) throw new Error('Jobs must be enqueued inside a transaction.');
    if (jobs.length === 0) return;
    const parent = traceparent();
    const isHeld = this.#held.getStore()?.has(name) ?? false;
    const stored = jobs.map((data) => ({ ...data, ...(parent && { [TRACEPARENT]: parent }), ...(isHeld && { [HELD]: true }) }));
    const start = isHeld ? HELD_SECONDS : startAfter;
    await tx.execute(insertionOf(name, settingsOf(queue.options), stored, start));
    if (this.#isDue(start)) await notify(tx, { channel: JOB_CHANNEL, payload: name });
  }

  #isDue(start?: Start): boolean {
    return start instanceof Date ? start.getTime() <= Date.now() + this.#offsetMs : !start;
  }

  /**
   * Sets the clock of the queues to `offsetMs` after the database clock, and polls for due jobs. Tests call it when
   * they move their clock.
   */
  async shiftClock(offsetMs: number): Promise<void> {
    this.#offsetMs = offsetMs;
    const body = `select pg_catalog.now() + interval '${Math.round(offsetMs)} milliseconds'`;
    await this.#db.executeSql(`create or replace function ${SCHEMA}.job_now() returns timestamptz language sql stable as $$ ${body} $$`);
    this.database.poller.pollNow();
  }

  /** Returns for how many seconds the oldest job that is due has been waiting to begin. 0 if no job is due. */
  oldestSeconds(): Promise<number> {
    return oldestDueSeconds({ db: this.#db, schema: SCHEMA, queues: [...this.#queues.keys()] });
  }

  /** Stops the workers and waits for running jobs to end. Jobs that have not started wait for the next start. */
  async stop(timeoutMs = 10_000): Promise<void> {
    this.#isWorking = false;
    this.#stopPolling?.();
    this.#stopSampling?.();
    await Promise.all([...this.#queues.values()].map(({ worker }) => worker?.stop(timeoutMs)));
    await this.#boss.stop({ graceful: true, timeout: timeoutMs });
    await this.#db.close();
  }

  /** Lets this process fetch the due jobs of a queue. */
  #wake(name: string): void {
    const queue = this.#queues.get(name);
    if (!queue || !this.#isWorking) return;
    queue.worker ??= new QueueWorker(
      {
        boss: this.#boss,
        log: this.log,
        together: queue.together,
        isPressed: () => this.metrics?.pressure.isHigh ?? false,
        run: async (jobs) => {
          const [first] = jobs;
          // only jobs that are handled alone can wait
          if (first && queue.options.waits && (await this.#waits(name, first))) return;
          await this.#run(name, jobs, queue.handle);
        },
      },
      name,
      queue.options.concurrency ?? DEFAULT_CONCURRENCY,
    );
    queue.worker.wake();
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

  /** Runs jobs that are handled together. Their span continues the trace of the first of them. */
  async #run(name: string, jobs: readonly Job<object>[], handle: Queue['handle']): Promise<void> {
    const { jobsRunning, jobDuration } = this.metrics ?? {};
    const began = performance.now();
    const observe = (outcome: string): void => {
      for (const _ of jobs) jobDuration?.observe({ queue: name, outcome }, (performance.now() - began) / 1000);
    };
    jobsRunning?.inc({ queue: name }, jobs.length);
    try {
      const [first] = jobs as Job<{ [TRACEPARENT]?: string }>[];
      const data = jobs.map(
        ({ data: { [TRACEPARENT]: _, [HELD]: __, ...rest } }: Job<{ [TRACEPARENT]?: string; [HELD]?: boolean }>) => rest,
      );
      await inTrace(first?.data[TRACEPARENT], { name: `job ${name}`, kind: SpanKind.CONSUMER }, () => handle(data));
      observe('completed');
    } catch (error) {
      // jobs that were handled together are handled alone next
      if (jobs.length > 1) this.log.debug({ queue: name, jobs: jobs.length, err: error }, 'jobs failed together');
      else {
        observe('failed');
        for (const job of jobs) {
          this.log.warn({ queue: name, job: job.id, err: error }, 'a job failed');
          this.#tellOrganization(name, job, error);
        }
      }
      throw error;
    } finally {
      jobsRunning?.dec({ queue: name }, jobs.length);
    }
  }

  /**
   * Writes a failed job to the log of its organization. The reason is shown only if it is an error that callers may see:
   * other errors can contain internal details.
   */
  #tellOrganization(queue: string, { id, data }: Job<object>, error: unknown): void {
    const { organizationId, serviceId } = data as { organizationId?: unknown; serviceId?: unknown };
    if (typeof organizationId !== 'string') return;
    const reason =
      error instanceof PlatformError ? `${error.code}: ${error.message}` : 'an internal error. It is in the log of the platform';
    this.organizationLog?.write({
      organizationId,
      level: 'warn',
      source: 'job',
      message: `A job of the queue ${queue} failed and may be retried: ${reason}.`,
      serviceId: typeof serviceId === 'string' ? serviceId : undefined,
      attributes: { queue, job: id, ...(error instanceof PlatformError && { code: error.code }) },
    });
  }
}

/**
 * Selects the queues that have a due job, with one index lookup per queue, so the time does not depend on the number of
 * waiting jobs.
 * Notifications report only jobs that are due immediately; this query finds retries and delayed jobs. Polling by each
 * worker would cost about thirty statements a second.
 */
const DUE_QUEUES = `select q.name from unnest($1::text[]) as q (name) where exists (
  select from ${SCHEMA}.job j where j.name = q.name and j.state < 'active' and not j.blocked and j.start_after <= ${SCHEMA}.job_now())`;
