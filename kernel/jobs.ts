import { type Db, fromPglite, type Job, PgBoss } from 'pg-boss';
import type { Database, EntityManager } from './database.ts';
import type { Logger } from './log.ts';

const SCHEMA = 'pgboss';
const EXPIRE_SECONDS = 120;
const POLL_SECONDS = 2;
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
}

interface Queue {
  options: QueueOptions;
  handle(data: object): Promise<void>;
}

/**
 * What must happen later, once and in spite of crashes: pg-boss on the same database, so that a job is enqueued by the
 * transaction that needs it. A handler runs at least once; it must find out itself what is already done.
 */
export class Jobs {
  readonly #boss: PgBoss;
  readonly #queues = new Map<string, Queue>();
  readonly #workers: string[] = [];
  #isStarted = false;

  constructor(
    private readonly database: Database,
    private readonly log: Logger,
  ) {
    const { pglite, target } = database;
    const shared = { schema: SCHEMA, useListenNotify: true, reindex: false, monitorVacuum: false };
    this.#boss = pglite
      ? new PgBoss({ ...shared, db: fromPglite(pglite), backend: 'pglite' })
      : new PgBoss({ ...shared, connectionString: (target as { url: string }).url, max: 4 });
    this.#boss.on('error', (error) => log.error({ err: error }, 'job queue'));
    this.#boss.on('warning', (warning) => log.debug({ warning }, 'job queue'));
  }

  /** States a queue and what its jobs do; before `start`. */
  define<T extends object>(name: string, handle: (data: T) => Promise<void>, options: QueueOptions = {}): void {
    this.#queues.set(name, { options, handle: handle as (data: object) => Promise<void> });
  }

  async start(): Promise<void> {
    await this.#boss.start();
    if (this.database.pglite) await this.#releaseActive();
    for (const [name, { options }] of this.#queues) {
      const { retryLimit = 5, retryDelaySeconds = 2, retryDelayMaxSeconds = 300 } = options;
      const settings = {
        retryLimit,
        retryDelay: retryDelaySeconds,
        retryBackoff: true,
        retryDelayMax: retryDelayMaxSeconds,
        expireInSeconds: EXPIRE_SECONDS,
        heartbeatSeconds: HEARTBEAT_SECONDS,
        notify: true,
      };
      await this.#boss.createQueue(name, settings);
      // a queue that an earlier version made keeps its settings otherwise
      await this.#boss.updateQueue(name, settings);
    }
    this.#isStarted = true;
    for (const [name, queue] of this.#queues) await this.#work(name, queue);
  }

  /** What a killed process was working on goes on at once: no other process can be at the same embedded database. */
  async #releaseActive(): Promise<void> {
    await this.#boss
      .getDb()
      .executeSql(`update ${SCHEMA}.job set state = 'retry', start_after = ${SCHEMA}.job_now() where state = 'active'`);
  }

  /** Enqueues with the transaction: the job exists if, and only if, it commits. */
  async enqueue(tx: EntityManager, queue: string, data: object, { startAfter }: JobOptions = {}): Promise<void> {
    if (!this.#queues.has(queue)) throw new Error(`There is no queue ${queue}.`);
    // it would read the queue's settings on a connection of its own, and PGlite has only the one that the transaction holds
    if (!this.#isStarted) throw new Error('Jobs are enqueued when the queues stand.');
    await this.#boss.send(queue, data, { startAfter, db: inTransaction(tx) });
  }

  /** Moves the queue's idea of now by an offset, for tests that move the clock, and looks for what is due. */
  async shiftClock(offsetMs: number): Promise<void> {
    const body = `select pg_catalog.now() + interval '${Math.round(offsetMs)} milliseconds'`;
    await this.#boss
      .getDb()
      .executeSql(`create or replace function ${SCHEMA}.job_now() returns timestamptz language sql stable as $$ ${body} $$`);
    for (const worker of this.#workers) this.#boss.notifyWorker(worker);
  }

  /** Lets the jobs that are under way end; the others wait for the next start. */
  async stop(timeoutMs = 10_000): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: timeoutMs, close: true });
  }

  /** Each worker is one of its own: by one id pg-boss wakes one, also where it made several. */
  async #work(name: string, queue: Queue): Promise<void> {
    const { concurrency = 4 } = queue.options;
    for (let index = 0; index < concurrency; index += 1) this.#workers.push(await this.#startWorker(name, queue));
  }

  async #startWorker(name: string, { handle }: Queue): Promise<string> {
    // a notification tells only of what is due at once: retries and later jobs are found by polling
    const settings = { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS };
    let worker = '';
    worker = await this.#boss.work(name, settings, async ([job]: Job<object>[]) => {
      // where one was due more may be: without a word it would look again at the next poll, and a backlog take hours
      this.#boss.notifyWorker(worker);
      if (job) await this.#run(name, job, handle);
    });
    return worker;
  }

  async #run(name: string, job: Job<object>, handle: (data: object) => Promise<void>): Promise<void> {
    try {
      await handle(job.data);
    } catch (error) {
      this.log.warn({ queue: name, job: job.id, err: error }, 'a job failed');
      throw error;
    }
  }
}

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
