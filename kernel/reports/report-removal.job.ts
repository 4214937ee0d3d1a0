import type { EntityClass } from '@mikro-orm/core';
import type { EntityManager, Orm } from '../database/database.ts';
import type { FileStore } from '../files/files.ts';
import type { JobOptions, Jobs } from '../jobs/jobs.ts';
import { organizationEm } from '../records/organization-filter.ts';
import { fileKeyOf } from './report-file.ts';
import type { ReportRecord } from './report-record.ts';

interface RemovalJob {
  organizationId: string;
  reportId: string;
  fileKey: string;
}

const queueOf = (domain: string): string => `${domain}.report-removal`;

/** Enqueues a job that removes a report and its file, immediately or at the time `startAfter`. */
export function enqueueRemoval(jobs: Jobs, tx: EntityManager, domain: string, report: ReportRecord, options?: JobOptions): Promise<void> {
  const job = { organizationId: report.organizationId, reportId: report.id, fileKey: fileKeyOf(report) } satisfies RemovalJob;
  return jobs.enqueue(tx, queueOf(domain), job, options);
}

/**
 * Defines the job queue. Must be called before jobs start. A job deletes the file before the report, so that it can run
 * again if it fails after deleting the file.
 */
export function defineRemoval(
  { orm, files, jobs }: { orm: Orm; files: FileStore; jobs: Jobs },
  { domain, entity }: { domain: string; entity: EntityClass<ReportRecord> },
): void {
  jobs.define<RemovalJob>(
    queueOf(domain),
    async ({ organizationId, reportId, fileKey }) => {
      await files.delete(fileKey);
      await organizationEm(orm, organizationId).nativeDelete(entity, { id: reportId });
    },
    { retryLimit: 10, retryDelaySeconds: 60, retryDelayMaxSeconds: 3600 },
  );
}
