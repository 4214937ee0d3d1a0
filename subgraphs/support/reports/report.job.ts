import { LockMode } from '@mikro-orm/core';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm, Rows } from '../../../kernel/database.ts';
import type { FileStore } from '../../../kernel/files.ts';
import type { Jobs } from '../../../kernel/jobs.ts';
import type { Logger } from '../../../kernel/log.ts';
import type { Mailer } from '../../../kernel/mail.ts';
import { organizationEm } from '../../../kernel/organization.filter.ts';
import { type Cell, Figures } from '../analytics/figures.ts';
import { contentOf } from './report.content.ts';
import { fileKeyOf, RETENTION_DAYS, Report } from './report.entity.ts';
import type { ReportLinks } from './report.links.ts';
import { ReportStatus } from './report.states.ts';
import { ReportMetric } from './report.values.ts';

export const GENERATE_QUEUE = 'support.report';
const MAIL_QUEUE = 'support.report-mail';
export const REMOVAL_QUEUE = 'support.report-removal';
const ATTEMPTS_MAX = 4;
const GIVEN_UP = `It could not be generated in ${ATTEMPTS_MAX} attempts. Ask for it again, and quote its id if that fails too.`;
const DAY_MS = 86_400_000;
/** What is counted at a time, between two words about progress. */
const SLICE_MS = 7 * DAY_MS;

export interface ReportJob {
  organizationId: string;
  reportId: string;
}

export interface ReportWorkerDeps {
  orm: Orm;
  rows: Rows;
  jobs: Jobs;
  clock: Clock;
  files: FileStore;
  mailer: Mailer;
  links: ReportLinks;
  log: Logger;
}

/** Makes the files of reports, tells of them and removes them when their time is over: jobs that may run twice. */
export class ReportWorker {
  constructor(private readonly deps: ReportWorkerDeps) {
    const { jobs } = deps;
    jobs.define<ReportJob>(GENERATE_QUEUE, (job) => this.#generate(job), { retryLimit: 2 * ATTEMPTS_MAX, retryDelaySeconds: 1 });
    jobs.define<ReportJob>(MAIL_QUEUE, (job) => this.#tell(job), { retryLimit: 10, retryDelaySeconds: 5, retryDelayMaxSeconds: 3600 });
    jobs.define<ReportJob>(REMOVAL_QUEUE, (job) => this.#remove(job), {
      retryLimit: 10,
      retryDelaySeconds: 60,
      retryDelayMaxSeconds: 3600,
    });
  }

  async #generate(job: ReportJob): Promise<void> {
    const report = await this.#begin(job);
    if (!report) return;
    try {
      const { content, rows } = contentOf(report, await this.#count(report), this.deps.clock.now());
      await this.deps.files.put(fileKeyOf(report), content);
      await this.#complete(job, rows);
    } catch (error) {
      if (report.attempts < ATTEMPTS_MAX) throw error;
      this.deps.log.error({ err: error, report: report.id }, 'a report was given up');
      await this.#giveUp(job);
    }
  }

  /** The attempt is counted before it is made: one that ends its process counts too. */
  async #begin(job: ReportJob): Promise<Report | undefined> {
    return this.#em(job).transactional(async (tx) => {
      const report = await tx.findOne(Report, { id: job.reportId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (report?.status !== ReportStatus.GENERATING) return undefined;
      if (report.attempts >= ATTEMPTS_MAX) {
        report.fail(GIVEN_UP);
        return undefined;
      }
      report.attempts += 1;
      return report;
    });
  }

  async #giveUp(job: ReportJob): Promise<void> {
    await this.#em(job).transactional(async (tx) => {
      const report = await tx.findOne(Report, { id: job.reportId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (report?.status === ReportStatus.GENERATING) report.fail(GIVEN_UP);
    });
  }

  /** A slice at a time, so that no statement is long and progress can be told. */
  async #count({ id, organizationId, parameters }: Report): Promise<Cell[]> {
    const { dateRange, filters, metrics, timezone } = parameters;
    const [start, end] = [new Date(dateRange?.start ?? 0).getTime(), new Date(dateRange?.end ?? 0).getTime()];
    const figures = new Figures(this.deps.rows, organizationId);
    const withTimeline = metrics?.includes(ReportMetric.FIRST_CONTACT_RESOLUTION) ?? false;
    const cells: Cell[] = [];
    for (let from = start; from < end; from += SLICE_MS) {
      const to = Math.min(from + SLICE_MS, end);
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

  /** Ready and to be told of, or neither. */
  async #complete(job: ReportJob, rows: number): Promise<void> {
    const { jobs, clock } = this.deps;
    await this.#em(job).transactional(async (tx) => {
      const report = await tx.findOne(Report, { id: job.reportId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (report?.status !== ReportStatus.GENERATING) return;
      report.complete(rows, clock.now());
      if (report.delivery.notificationEmail) await jobs.enqueue(tx, MAIL_QUEUE, job);
    });
  }

  async #tell(job: ReportJob): Promise<void> {
    const { mailer, links, clock } = this.deps;
    const report = await this.#em(job).findOne(Report, { id: job.reportId });
    const to = report?.delivery.notificationEmail;
    if (!report || !to) return;
    const lines = [
      `Your report ${report.reportType} is ready.`,
      `Download it here; the link holds for ${links.hours} hours:`,
      links.urlOf(report, clock.now()),
      `After that, read the report (${report.id}) for a new link. It is kept for ${RETENTION_DAYS} days.`,
    ];
    await mailer.send({ to, subject: `Your report ${report.reportType} is ready`, text: `${lines.join('\n\n')}\n` });
  }

  async #remove(job: ReportJob): Promise<void> {
    const em = this.#em(job);
    const report = await em.findOne(Report, { id: job.reportId });
    if (!report) return;
    await this.deps.files.delete(fileKeyOf(report));
    await em.nativeDelete(Report, { id: job.reportId });
  }

  #em({ organizationId }: ReportJob) {
    return organizationEm(this.deps.orm, organizationId);
  }
}
