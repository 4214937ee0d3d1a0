import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { FileStore } from '../../../kernel/files/files.ts';
import type { JobOptions, Jobs } from '../../../kernel/jobs/jobs.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { fileKeyOf, Report } from './report.entity.ts';

const QUEUE = 'support.report-removal';

interface RemovalJob {
  organizationId: string;
  reportId: string;
  fileKey: string;
}

/** Enqueues a job that removes a report and its file, immediately or at the time `startAfter`. */
export function enqueueRemoval(jobs: Jobs, tx: EntityManager, report: Report, options?: JobOptions): Promise<void> {
  const job = { organizationId: report.organizationId, reportId: report.id, fileKey: fileKeyOf(report) } satisfies RemovalJob;
  return jobs.enqueue(tx, QUEUE, job, options);
}

/**
 * Defines the job queue. Must be called before jobs start. A job deletes the file before the report, so that it can run
 * again if it fails after deleting the file.
 */
export function defineRemoval({ orm, files, jobs }: { orm: Orm; files: FileStore; jobs: Jobs }): void {
  jobs.define<RemovalJob>(
    QUEUE,
    async ({ organizationId, reportId, fileKey }) => {
      await files.delete(fileKey);
      await organizationEm(orm, organizationId).nativeDelete(Report, { id: reportId });
    },
    { retryLimit: 10, retryDelaySeconds: 60, retryDelayMaxSeconds: 3600 },
  );
}
