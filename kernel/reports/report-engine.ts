import type { FastifyInstance } from 'fastify';
import type { Secrets } from '../access/secrets.ts';
import type { EntityManager } from '../database/database.ts';
import { LOCKED, orNotFound } from '../records/records.ts';
import { ReportGenerating } from './report.errors.ts';
import { ReportStatus } from './report.states.ts';
import type { ReportDefinition } from './report-definition.ts';
import { mountReportDownloads } from './report-file.routes.ts';
import { defineGeneration, enqueueGeneration, type GenerationDeps } from './report-generation.job.ts';
import { ReportLinks } from './report-links.ts';
import type { ReportRecord } from './report-record.ts';
import { defineRemoval, enqueueRemoval } from './report-removal.job.ts';

export interface ReportPorts extends Omit<GenerationDeps, 'links'> {
  secrets: Secrets;
  origin: string;
}

/**
 * The reports of one domain. A job generates the file of a report, and the report shows its progress. The file has a
 * signed URL. Another job removes the report and its file at the end of the retention time.
 */
export class ReportEngine<R extends ReportRecord> {
  readonly #links: ReportLinks;

  /** Creates the engine and defines its queues, so it must be called before jobs start. */
  constructor(
    private readonly ports: ReportPorts,
    private readonly definition: ReportDefinition<R>,
  ) {
    this.#links = new ReportLinks({ ...ports, ...definition });
    defineGeneration({ ...ports, links: this.#links }, definition);
    defineRemoval(ports, definition);
  }

  /** Adds the route that serves the files. */
  mount(app: FastifyInstance): Promise<void> {
    const { ports, definition } = this;
    return mountReportDownloads(app, { ...ports, links: this.#links, definition });
  }

  /** Stores a new report, and enqueues its generation and its later removal. */
  async create(em: EntityManager, report: R): Promise<R> {
    const { jobs } = this.ports;
    const { domain } = this.definition;
    await em.transactional(async (tx) => {
      tx.persist(report);
      await enqueueGeneration(jobs, tx, domain, report);
      await enqueueRemoval(jobs, tx, domain, report, { startAfter: report.expiresAt });
    });
    return report;
  }

  /**
   * Deletes a report immediately. A job that is enqueued with the deletion deletes the file.
   * @throws ResourceNotFound, ReportGenerating
   */
  delete(em: EntityManager, id: string): Promise<R> {
    const { domain, entity, resource } = this.definition;
    return em.transactional(async (tx) => {
      const report = orNotFound((await tx.findOne<ReportRecord>(entity, { id }, LOCKED)) as R | null, resource, id);
      if (report.status === ReportStatus.GENERATING) throw new ReportGenerating();
      tx.remove(report);
      await enqueueRemoval(this.ports.jobs, tx, domain, report);
      return report;
    });
  }

  /** Returns the signed URL of a report's file; null if the file is not ready. */
  urlOf(report: R): string | null {
    return report.status === ReportStatus.READY ? this.#links.urlOf(report, this.ports.clock.now()) : null;
  }
}
