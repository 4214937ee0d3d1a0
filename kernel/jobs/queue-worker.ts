import { setTimeout as delay } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';
import type { Logger } from '../log/log.ts';
import { inTime } from '../work/in-time.ts';

/** Interval at which the heartbeats of running jobs are written: several times within `heartbeatSeconds` of a queue. */
const HEARTBEAT_MS = 4_000;
/** Minimum time between two fetches of jobs. Jobs that become due in between are fetched together. */
const FETCH_REST_MS = 10;
/**
 * The minimum time between two fetches of jobs that are handled together is as long as it took to handle the jobs of an earlier fetch, up to
 * this time. More jobs become due meanwhile, so a busy process handles larger groups, which costs less for each job. It does not apply if a
 * fetch has left due jobs behind.
 */
const TOGETHER_REST_MAX_MS = 1_000;
/** Share of the jobs of a queue that run while the process should answer requests first. */
const PRESSED_SHARE = 0.25;
/** Time for which a job that ended waits to be completed. Jobs that end meanwhile are completed with the same statement. */
const COMPLETE_REST_MS = 10;
/** Delay after which a failed completion of jobs is repeated. */
const REPEAT_MS = 1_000;
/** Maximum number of jobs that are handled together. */
export const TOGETHER_MAX = 25;
/**
 * Number of jobs that are fetched for each group that may start. It is more than one group can have, because the due jobs belong to several
 * groups: the more jobs are fetched, the larger are the groups. It is limited because other processes cannot run fetched jobs.
 */
const FETCHED_PER_GROUP = 50;

export interface QueueWorkerDeps {
  boss: PgBoss;
  log: Logger;
  /** Runs jobs that are handled together. They are retried if the promise rejects, or takes longer than one of them may take. */
  run(jobs: readonly Job<object>[]): Promise<void>;
  /**
   * Jobs for which it returns the same text are handled together, at most `TOGETHER_MAX` at a time. A job for which it returns undefined
   * is handled alone. Default: every job is handled alone.
   */
  together?: ((data: object) => string | undefined) | undefined;
  /** Returns true while the process should answer requests first. The queue then runs fewer jobs at the same time. */
  isPressed?: (() => boolean) | undefined;
}

/**
 * Runs the jobs of one queue in this process. One statement fetches as many due jobs as the process may start, and one statement completes
 * all jobs that ended at about the same time. A worker of pg-boss would send two statements for each job.
 */
export class QueueWorker {
  /** Ids of the fetched jobs that are still active in the database: neither completed nor failed. */
  readonly #held = new Set<string>();
  /** Fetched jobs that have not started, grouped by the jobs that are handled together. */
  #waiting: Job<object>[][] = [];
  /** Number of groups of jobs that are running. */
  #running = 0;
  /** True if the queue may have more due jobs. */
  #isWanted = false;
  #isFetching = false;
  #fetchedAt = 0;
  /** Minimum time from one fetch to the next, unless the last fetch left due jobs behind. */
  #restMs = FETCH_REST_MS;
  #isBehind = false;
  #isResting = false;
  #isStopped = false;
  #ended: string[] = [];
  #completing: Promise<void> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  /** Creates the worker of a queue. `concurrency` is the maximum number of jobs, or of groups of jobs, that run at the same time. */
  constructor(
    private readonly deps: QueueWorkerDeps,
    private readonly name: string,
    private readonly concurrency: number,
  ) {}

  /** Number of jobs, or of groups of jobs, that may run at the same time now. At least one runs, so the queue never stops. */
  get #limit(): number {
    return this.deps.isPressed?.() ? Math.ceil(this.concurrency * PRESSED_SHARE) : this.concurrency;
  }

  /** Fetches due jobs now, or when a running job ends if the maximum number is running. */
  wake(): void {
    this.#isWanted = true;
    void this.#fetch();
  }

  /** Waits for the running jobs. Jobs that have not ended after `timeoutMs` are retried, also by other processes. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    const until = performance.now() + timeoutMs;
    const isBusy = (): boolean => this.#held.size > 0 || (this.#isFetching && !this.#isResting);
    while (isBusy() && performance.now() < until) await delay(10);
    clearInterval(this.#heartbeat);
    this.#waiting = [];
    if (this.#held.size > 0) await this.#fail([...this.#held], new Error('The process stopped while the job was running.'));
  }

  async #fetch(): Promise<void> {
    if (this.#isFetching) return;
    this.#isFetching = true;
    try {
      while (this.#isWanted && !this.#isStopped && this.#waiting.length === 0 && this.#running < this.#limit) {
        await this.#rest();
        if (this.#isStopped) break;
        const limit = this.#limit;
        const free = limit - this.#running;
        if (free <= 0) break;
        this.#isWanted = false;
        const batchSize = free * (this.deps.together ? FETCHED_PER_GROUP : 1);
        const jobs = await this.deps.boss.fetch<object>(this.name, { batchSize });
        this.#fetchedAt = performance.now();
        this.#isBehind = jobs.length === batchSize;
        if (this.#isBehind) this.#isWanted = true;
        for (const { id } of jobs) this.#held.add(id);
        this.#waiting.push(...this.#groupsOf(jobs));
        // also if requests come first now: other processes cannot run these jobs
        this.#startWaiting(limit);
      }
    } catch (error) {
      // the work poller wakes the worker again
      this.deps.log.error({ err: error, queue: this.name }, 'jobs could not be fetched');
    } finally {
      this.#isFetching = false;
    }
  }

  async #rest(): Promise<void> {
    const rest = this.#fetchedAt + (this.#isBehind ? FETCH_REST_MS : this.#restMs) - performance.now();
    if (rest <= 0) return;
    this.#isResting = true;
    await delay(rest, undefined, { ref: false });
    this.#isResting = false;
  }

  #groupsOf(jobs: readonly Job<object>[]): Job<object>[][] {
    const groups = Map.groupBy(jobs, (job) => this.deps.together?.(job.data) ?? job);
    return [...groups.values()].flatMap((group) =>
      Array.from({ length: Math.ceil(group.length / TOGETHER_MAX) }, (_, part) =>
        group.slice(part * TOGETHER_MAX, (part + 1) * TOGETHER_MAX),
      ),
    );
  }

  #startWaiting(limit = this.#limit): void {
    while (this.#running < limit) {
      const jobs = this.#waiting.shift();
      if (!jobs) return;
      void this.#process(jobs);
    }
  }

  async #process(jobs: Job<object>[]): Promise<void> {
    this.#running += 1;
    this.#heartbeat ??= setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
    try {
      const seconds = Math.min(...jobs.map(({ expireInSeconds }) => expireInSeconds));
      await inTime(this.deps.run(jobs), seconds * 1000, () => new Error(`The job took longer than ${seconds} seconds.`));
      this.#ended.push(...jobs.map(({ id }) => id));
      this.#completing ??= this.#complete();
    } catch (error) {
      // one of them may be the cause: only this one must be retried later
      if (jobs.length > 1) this.#waiting.unshift(...jobs.map((job) => [job]));
      else
        void this.#fail(
          jobs.map(({ id }) => id),
          error,
        );
    } finally {
      this.#running -= 1;
      if (this.deps.together) this.#restAfter(performance.now() - this.#fetchedAt);
      this.#startWaiting();
      if (this.#isWanted) void this.#fetch();
    }
  }

  #restAfter(ms: number): void {
    this.#restMs = Math.min(TOGETHER_REST_MAX_MS, Math.max(FETCH_REST_MS, ms));
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

  #beat(): void {
    void this.#touch();
    // requests may no longer come first
    this.#startWaiting();
  }

  async #touch(): Promise<void> {
    try {
      await this.deps.boss.touch(this.name, [...this.#held]);
    } catch (error) {
      this.deps.log.error({ err: error, queue: this.name }, 'the heartbeats of jobs could not be stored');
    }
  }
}
