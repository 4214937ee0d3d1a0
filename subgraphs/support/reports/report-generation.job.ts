import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import type { IsSuspended } from '../../../kernel/domain.ts';
import type { FileStore } from '../../../kernel/files/files.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { type Cell, Figures } from '../analytics/figures.ts';
import type { NotificationSender } from '../notifications/notification-sender.ts';
import { fileKeyOf, Report } from './report.entity.ts';
import { mailAbout } from './report.mails.ts';
import { ReportStatus } from './report.states.ts';
import { ReportMetric } from './report.values.ts';
import { contentOf } from './report-content.ts';
import type { ReportLinks } from './report-links.ts';

const QUEUE = 'support.report';
const ATTEMPTS_MAX = 4;
const GIVEN_UP = `The report could not be generated in ${ATTEMPTS_MAX} attempts. Request it again. If that fails too, contact support with the report id.`;
/**
 * Length of the periods into which the date range of a report is split. One query counts the tickets of one period. The
 * progress of the report is updated after each query.
 */
const PERIOD_MS = 7 * DAY_MS;
/** Actor that is recorded as the sender of the mail about a finished report. */
const ACTOR = { kind: 'system', id: 'support.report' } as const;

interface GenerationJob {
  organizationId: string;
  reportId: string;
}

export interface GenerationDeps {
  orm: Orm;
  rows: Rows;
  jobs: Jobs;
  isSuspended?: IsSuspended | undefined;
  clock: Clock;
  files: FileStore;
  sender: NotificationSender;
  links: ReportLinks;
  log: Logger;
}

/** Enqueues the generation of a report's file. The job exists if and only if the transaction commits. */
export const enqueueGeneration = (jobs: Jobs, tx: EntityManager, { organizationId, id }: Report): Promise<void> =>
  jobs.enqueue(tx, QUEUE, { organizationId, reportId: id } satisfies GenerationJob);

/**
 * Defines the job queue. Must be called before jobs start. The queue allows more retries than ATTEMPTS_MAX. So the
 * generator reaches its limit before the queue does, and marks the report as failed.
 */
export function defineGeneration(deps: GenerationDeps): void {
  const generator = new ReportGenerator(deps);
  const options = { retryLimit: 2 * ATTEMPTS_MAX, retryDelaySeconds: 1, waits: deps.isSuspended };
  deps.jobs.define<GenerationJob>(QUEUE, (job) => generator.run(job), options);
}

/** Generates report files and enqueues the mail about them. A second run of the same job does no harm. */
class ReportGenerator {
  constructor(private readonly deps: GenerationDeps) {}

  async run(job: GenerationJob): Promise<void> {
    const report = await this.#begin(job);
    if (!report) return;
    try {
      const { content, rows } = contentOf(report, await this.#count(report), this.deps.clock.now());
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
  async #begin(job: GenerationJob): Promise<Report | undefined> {
    const report = await this.#change(job, async (_, begun) => {
      if (begun.attempts >= ATTEMPTS_MAX) begun.fail(GIVEN_UP);
      else begun.attempts += 1;
    });
    return report?.status === ReportStatus.GENERATING ? report : undefined;
  }

  /**
   * Counts the tickets of one week after the other, so that each statement is short and the progress can be updated.
   */
  async #count({ id, organizationId, parameters }: Report): Promise<Cell[]> {
    const { dateRange, filters, metrics, timezone } = parameters;
    const [start, end] = [new Date(dateRange?.start ?? 0).getTime(), new Date(dateRange?.end ?? 0).getTime()];
    const figures = new Figures(this.deps.rows, { organizationId, accounts: null });
    const withTimeline = metrics?.includes(ReportMetric.FIRST_CONTACT_RESOLUTION) ?? false;
    const cells: Cell[] = [];
    for (let from = start; from < end; from += PERIOD_MS) {
      const to = Math.min(from + PERIOD_MS, end);
      const cohort = {
        start: new Date(from),
        end: new Date(to),
        timezone: timezone ?? 'UTC',
        customerIds: filters?.customerIds ?? [],
        categories: filters?.categories ?? [],
        priorities: filters?.priorities ?? [],
      };
      cells.push(...(await figures.cells(cohort, { withTimeline })));
      await this.deps.rows.query(`update "support"."report" set "progress" = $1 where "id" = $2 and "status" = 'generating'`, [
        Math.floor((99 * (to - start)) / (end - start)),
        id,
      ]);
    }
    return cells;
  }

  /** Marks the report as ready and creates its notification, in one transaction. */
  async #complete(job: GenerationJob, rows: number): Promise<void> {
    const { clock, links, sender } = this.deps;
    await this.#change(job, async (tx, report) => {
      report.complete(rows, clock.now());
      const { notificationEmail: address } = report.delivery;
      if (!address) return;
      const mail = mailAbout(report, links.urlOf(report, clock.now()), links.hours);
      const { id } = await sender.sendMail(tx, report.organizationId, { contacts: [{ address }] }, mail, ACTOR);
      report.notificationId = id;
    });
  }

  /**
   * Locks the report and changes it. Does nothing and returns undefined if another run of the job has already finished
   * the report.
   */
  #change(
    { organizationId, reportId }: GenerationJob,
    act: (tx: EntityManager, report: Report) => Promise<void>,
  ): Promise<Report | undefined> {
    return organizationEm(this.deps.orm, organizationId).transactional(async (tx) => {
      const report = await tx.findOne(Report, { id: reportId }, LOCKED);
      if (report?.status !== ReportStatus.GENERATING) return undefined;
      await act(tx, report);
      return report;
    });
  }
}
