import { setTimeout as delay } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';
import type { Logger } from '../log/log.ts';
import { inTime } from '../work/in-time.ts';

/** Interval at which the heartbeats of running jobs are written: several times within `heartbeatSeconds` of a queue. */
const HEARTBEAT_MS = 4_000;
/** Minimum time between two fetches of jobs. Jobs that become due in between are fetched together. */
const FETCH_REST_MS = 10;
/** Time for which a job that ended waits to be completed. Jobs that end meanwhile are completed with the same statement. */
const COMPLETE_REST_MS = 10;
/** Delay after which a failed completion of jobs is repeated. */
const REPEAT_MS = 1_000;

export interface QueueWorkerDeps {
  boss: PgBoss;
  log: Logger;
  /** Runs one job. The job is retried if the promise rejects, or takes longer than the job may take. */
  run(job: Job<object>): Promise<void>;
}

/**
 * Runs the jobs of one queue in this process. One statement fetches as many due jobs as the process may start, and one statement completes
 * all jobs that ended at about the same time. A worker of pg-boss would send two statements for each job.
 */
export class QueueWorker {
  /** Ids of the fetched jobs that are still active in the database: neither completed nor failed. */
  readonly #held = new Set<string>();
  #running = 0;
  /** True if the queue may have more due jobs. */
  #isWanted = false;
  #isFetching = false;
  #fetchedAt = 0;
  #isStopped = false;
  #ended: string[] = [];
  #completing: Promise<void> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  /** Creates the worker of a queue. `concurrency` is the maximum number of jobs that run at the same time. */
  constructor(
    private readonly deps: QueueWorkerDeps,
    private readonly name: string,
    private readonly concurrency: number,
  ) {}

  /** Fetches due jobs now, or when a running job ends if the maximum number is running. */
  wake(): void {
    this.#isWanted = true;
    void this.#fetch();
  }

  /** Waits for the running jobs. Jobs that have not ended after `timeoutMs` are retried, also by other processes. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    const until = performance.now() + timeoutMs;
    while ((this.#held.size > 0 || this.#isFetching) && performance.now() < until) await delay(10);
    clearInterval(this.#heartbeat);
    if (this.#held.size > 0) await this.#fail([...this.#held], new Error('The process stopped while the job was running.'));
  }

  async #fetch(): Promise<void> {
    if (this.#isFetching) return;
    this.#isFetching = true;
    try {
      while (this.#isWanted && !this.#isStopped && this.#running < this.concurrency) {
        const rest = this.#fetchedAt + FETCH_REST_MS - performance.now();
        if (rest > 0) await delay(rest);
        if (this.#isStopped) break;
        this.#isWanted = false;
        const batchSize = this.concurrency - this.#running;
        const jobs = await this.deps.boss.fetch<object>(this.name, { batchSize });
        this.#fetchedAt = performance.now();
        if (jobs.length === batchSize) this.#isWanted = true;
        for (const job of jobs) void this.#process(job);
      }
    } catch (error) {
      // the work poller wakes the worker again
      this.deps.log.error({ err: error, queue: this.name }, 'jobs could not be fetched');
    } finally {
      this.#isFetching = false;
    }
  }

  async #process(job: Job<object>): Promise<void> {
    this.#running += 1;
    this.#held.add(job.id);
    this.#heartbeat ??= setInterval(() => void this.#touch(), HEARTBEAT_MS).unref();
    try {
      const { expireInSeconds: seconds } = job;
      await inTime(this.deps.run(job), seconds * 1000, () => new Error(`The job took longer than ${seconds} seconds.`));
      this.#ended.push(job.id);
      this.#completing ??= this.#complete();
    } catch (error) {
      void this.#fail([job.id], error);
    } finally {
      this.#running -= 1;
      if (this.#isWanted) void this.#fetch();
    }
  }

  async #complete(): Promise<void> {
    while (this.#ended.length > 0) {
      await delay(COMPLETE_REST_MS);
      const ids = this.#ended.splice(0);
      const complete = (): Promise<unknown> => this.deps.boss.complete(this.name, ids);
      // jobs that are not completed run again, so a short interruption of the database is waited for
      await this.#settle(ids, () => complete().catch(() => delay(REPEAT_MS).then(complete)));
    }
    this.#completing = undefined;
  }

  #fail(ids: string[], error: unknown): Promise<void> {
    return this.#settle(ids, () => this.deps.boss.fail(this.name, ids, error as object));
  }

  /**
   * Completes or fails jobs with `act`, and repeats it if the database fails. If the database stays unavailable, the jobs are retried after
   * their heartbeats have stopped.
   */
  async #settle(ids: readonly string[], act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.deps.log.error({ err: error, queue: this.name }, 'the result of jobs could not be stored');
    }
    for (const id of ids) this.#held.delete(id);
    if (this.#held.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  async #touch(): Promise<void> {
    try {
      await this.deps.boss.touch(this.name, [...this.#held]);
    } catch (error) {
      this.deps.log.error({ err: error, queue: this.name }, 'the heartbeats of jobs could not be stored');
    }
  }
}
