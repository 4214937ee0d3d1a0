import type { Clock } from '../clock.ts';
import type { EntityManager, Orm } from '../database/database.ts';
import type { IsSuspended } from '../domain.ts';
import type { FileStore } from '../files/files.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Logger } from '../log/log.ts';
import { organizationEm } from '../records/organization-filter.ts';
import { LOCKED } from '../records/records.ts';
import { ReportStatus } from './report.states.ts';
import type { ReportDefinition } from './report-definition.ts';
import { fileKeyOf } from './report-file.ts';
import type { ReportLinks } from './report-links.ts';
import type { ReportRecord } from './report-record.ts';

const ATTEMPTS_MAX = 4;
const GIVEN_UP = `The report could not be generated in ${ATTEMPTS_MAX} attempts. Request it again. If that fails too, contact support with the report id.`;
/** The highest progress of an unfinished report, in percent. */
const UNFINISHED_MAX = 99;

/** Maximum time for the generation of a report. Reports of large organizations take minutes. */
const EXPIRE_SECONDS = 3600;

interface GenerationJob {
  organizationId: string;
  reportId: string;
}

export interface GenerationDeps {
  orm: Orm;
  jobs: Jobs;
  isSuspended?: IsSuspended | undefined;
  clock: Clock;
  files: FileStore;
  links: ReportLinks;
  log: Logger;
}

const queueOf = (domain: string): string => `${domain}.report`;

/** Enqueues the generation of a report's file. The job exists if and only if the transaction commits. */
export const enqueueGeneration = (jobs: Jobs, tx: EntityManager, domain: string, { organizationId, id }: ReportRecord): Promise<void> =>
  jobs.enqueue(tx, queueOf(domain), { organizationId, reportId: id } satisfies GenerationJob);

/**
 * Defines the job queue. Must be called before jobs start. The queue allows more retries than ATTEMPTS_MAX. So the
 * generator reaches its limit before the queue does, and marks the report as failed.
 */
export function defineGeneration<R extends ReportRecord>(deps: GenerationDeps, definition: ReportDefinition<R>): void {
  const generator = new ReportGenerator(deps, definition);
  const options = { retryLimit: 2 * ATTEMPTS_MAX, retryDelaySeconds: 1, expireSeconds: EXPIRE_SECONDS, waits: deps.isSuspended };
  deps.jobs.define<GenerationJob>(queueOf(definition.domain), (job) => generator.run(job), options);
}

/** Generates report files. A second run of the same job does no harm. */
class ReportGenerator<R extends ReportRecord> {
  constructor(
    private readonly deps: GenerationDeps,
    private readonly definition: ReportDefinition<R>,
  ) {}

  async run(job: GenerationJob): Promise<void> {
    const report = await this.#begin(job);
    if (!report) return;
    try {
      const { content, rows } = await this.definition.build(report, (share) => this.#progress(job, share));
      await this.deps.files.put(fileKeyOf(report), content);
      await this.#complete(job, rows);
    } catch (error) {
      if (report.attempts < ATTEMPTS_MAX) throw error;
      this.deps.log.error({ err: error, report: report.id }, 'report generation failed in all attempts');
      await this.#change(job, async (_, unfinished) => unfinished.fail(GIVEN_UP));
    }
  }

  /**
   * Counts an attempt and starts it. The attempt is counted at its start, so that it is also counted if the process
   * crashes during the attempt.
   */
  async #begin(job: GenerationJob): Promise<R | undefined> {
    const report = await this.#change(job, async (_, begun) => {
      if (begun.attempts >= ATTEMPTS_MAX) begun.fail(GIVEN_UP);
      else begun.attempts += 1;
    });
    return report?.status === ReportStatus.GENERATING ? report : undefined;
  }

  async #progress({ organizationId, reportId }: GenerationJob, share: number): Promise<void> {
    const unfinished = { id: reportId, status: ReportStatus.GENERATING } as const;
    const progress = Math.floor(UNFINISHED_MAX * share);
    await organizationEm(this.deps.orm, organizationId).nativeUpdate<ReportRecord>(this.definition.entity, unfinished, { progress });
  }

  /** Marks the report as ready and calls `onReady`, in one transaction. */
  async #complete(job: GenerationJob, rows: number): Promise<void> {
    const { clock, links } = this.deps;
    await this.#change(job, async (tx, report) => {
      report.complete(rows, clock.now());
      await this.definition.onReady?.(tx, report, { url: links.urlOf(report, clock.now()), hours: links.hours });
    });
  }

  /**
   * Locks the report and changes it. Does nothing and returns undefined if another run of the job has already finished
   * the report.
   */
  #change({ organizationId, reportId }: GenerationJob, act: (tx: EntityManager, report: R) => Promise<void>): Promise<R | undefined> {
    return organizationEm(this.deps.orm, organizationId).transactional(async (tx) => {
      const report = (await tx.findOne<ReportRecord>(this.definition.entity, { id: reportId }, LOCKED)) as R | null;
      if (report?.status !== ReportStatus.GENERATING) return undefined;
      await act(tx, report);
      return report;
    });
  }
}
