import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { JobOptions, Jobs } from '../../../kernel/jobs/jobs.ts';
import { type OrganizationClock, platformTime } from '../../../kernel/organization-clock.ts';
import type { Sweeper } from '../../../kernel/records/due.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { readClock, type StoredClock } from './sandbox-clock.store.ts';

const QUEUE = 'billing.sandbox-clock';
/** Maximum duration of one job. The next job continues the advance, so that no job reaches the time limit of jobs. */
const JOB_MS = 30_000;
const POLL_MS = 5;
/**
 * Maximum time for which one job waits for other billing jobs. The next job continues the advance, so that no job keeps others from
 * running.
 */
const WAIT_MS = 2_000;
const RETRY_MS = 1_000;
/**
 * Maximum number of consecutive sweeps by one sweeper at one due time. If it is exceeded, the sweeper has an error: it leaves its rows due.
 */
const SWEEPS_MAX = 10_000;

interface AdvanceJob {
  organizationId: string;
}

export interface AdvanceDeps extends Omit<Ports, 'clock'> {
  clock: OrganizationClock;
  sweepers: readonly Sweeper[];
  queues: readonly string[];
}

/** Enqueues the job that advances the sandbox clock of an organization to its target time. */
export const enqueueAdvance = (jobs: Jobs, tx: EntityManager, organizationId: string, options: JobOptions = {}): Promise<void> =>
  jobs.enqueue(tx, QUEUE, { organizationId } satisfies AdvanceJob, options);

/**
 * Advances the clocks of organizations from one due time to the next. At each due time, it runs the sweepers and jobs of the platform. Each
 * step is a transaction. A job that was killed continues after its last step when it runs again.
 */
export class SandboxAdvance {
  readonly #next: string;

  constructor(private readonly deps: AdvanceDeps) {
    const times = deps.sweepers.flatMap(({ due }) =>
      due ? [`select min("${due.column}") as "at" from ${due.table} where "organization_id" = $1`] : [],
    );
    this.#next = `select min("at") as "at" from (${times.join(' union all ')}) due`;
  }

  define(): void {
    const { jobs, isClosed, isSuspended } = this.deps;
    // their work would be postponed again and again
    const waits = async (organizationId: string): Promise<boolean> =>
      ((await isClosed?.(organizationId)) || (await isSuspended?.(organizationId))) ?? false;
    jobs.define<AdvanceJob>(QUEUE, ({ organizationId }) => this.#run(organizationId), { waits });
  }

  async #run(organizationId: string): Promise<void> {
    try {
      await this.#advance(organizationId);
    } catch (error) {
      this.deps.log.error({ err: error, organization: organizationId }, 'the sandbox clock stopped');
      await this.deps.rows.query(
        `update "billing"."sandbox_clock" set "status" = 'failed', "revision" = "revision" + 1 where "organization_id" = $1`,
        [organizationId],
      );
    }
  }

  async #advance(organizationId: string): Promise<void> {
    const { jobs, queues, rows, clock: time } = this.deps;
    const end = performance.now() + JOB_MS;
    while (await this.#jobsDone(organizationId)) {
      const clock = await readClock(rows, organizationId);
      if (clock?.status !== 'advancing') return;
      if (performance.now() > end) return this.#continueLater(organizationId, {});
      const next = await this.#nextDue(organizationId, clock);
      if (!(await this.#move(organizationId, clock, next))) return;
      const perform = (): Promise<boolean> => jobs.hold(queues, () => this.#perform(organizationId));
      if (next && !(await time.at(organizationId, { now: next, revision: clock.revision + 1 }, perform))) break;
    }
    // a job of billing is repeated after an error, or waits while its organization is closed
    const now = platformTime() ?? time.now();
    await this.#continueLater(organizationId, { startAfter: new Date(now.getTime() + RETRY_MS) });
  }

  #continueLater(organizationId: string, options: JobOptions): Promise<void> {
    const { orm, jobs } = this.deps;
    return organizationEm(orm, organizationId).transactional((tx) => enqueueAdvance(jobs, tx, organizationId, options));
  }

  /** Returns the next time at which a sweeper or job is due. Null if nothing is due before the target time. */
  async #nextDue(organizationId: string, { now, target }: StoredClock): Promise<Date | null> {
    const [row] = await this.deps.rows.query<{ at: Date | string | null }>(this.#next, [organizationId]);
    if (!row?.at) return null;
    const at = new Date(row.at);
    if (at > target) return null;
    return at < now ? now : at;
  }

  /** Sets the clock to the next time, or ends the advance. Returns false if another process has changed the clock in the meantime. */
  async #move(organizationId: string, { target, revision }: StoredClock, next: Date | null): Promise<boolean> {
    const moved = await this.deps.rows.query(
      `update "billing"."sandbox_clock" set "now_at" = $1, "status" = $2, "revision" = "revision" + 1
       where "organization_id" = $3 and "revision" = $4 returning 1 as "one"`,
      [next ?? target, next ? 'advancing' : 'ready', organizationId, revision],
    );
    return moved.length > 0;
  }

  /**
   * Runs the sweepers and jobs that are due now. All jobs of one sweeper end before the next sweeper begins, so the result does not depend
   * on the speed of jobs. Returns false if the jobs do not end in time: the remaining work is done when the advance continues.
   */
  async #perform(organizationId: string): Promise<boolean> {
    for (const sweeper of this.deps.sweepers) {
      let sweeps = 0;
      while ((await sweeper.handle(organizationId)) > 0) {
        sweeps += 1;
        if (sweeps > SWEEPS_MAX) throw new Error(`The rows of ${sweeper.due?.table} stay due.`);
      }
      if (sweeps > 0 && !(await this.#jobsDone(organizationId))) return false;
    }
    return true;
  }

  /** Waits until no billing job is running or waiting. Returns false if some jobs have not ended after a short time. */
  async #jobsDone(organizationId: string): Promise<boolean> {
    const { jobs, queues } = this.deps;
    const end = performance.now() + WAIT_MS;
    for (;;) {
      if ((await jobs.runHeld(organizationId, queues)) > 0) continue;
      // workers run the jobs that failed, or that other work has enqueued
      if (!(await jobs.isBusy(organizationId, queues))) return true;
      if (performance.now() > end) return false;
      await pause(POLL_MS);
    }
  }
}
