import type { Ports } from '../../../kernel/domain.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { BULK_QUEUE, type BulkJob } from '../changes/converge-queue.ts';
import { Bulk } from './bulk.entity.ts';
import { BulkProgress } from './bulk-progress.ts';

/**
 * Maximum number of jobs for bulks that a process runs in parallel. Jobs of the same bulk wait for each other, so a higher number would not
 * make a bulk faster.
 */
const CONCURRENCY = 2;

type BulkPorts = Pick<Ports, 'orm' | 'clock' | 'isClosed'> & { jobs: Jobs };

/** Creates the function that runs a job of a bulk. */
export function bulkHandler({ orm, jobs, clock }: BulkPorts): (job: BulkJob) => Promise<void> {
  const progress = new BulkProgress({ jobs, clock });
  return ({ organizationId, bulkId }) =>
    organizationEm(orm, organizationId).transactional(async (tx) => {
      const bulk = await tx.findOne(Bulk, { id: bulkId }, LOCKED);
      if (bulk) await progress.advance(tx, bulk);
    });
}

/** Defines the queue of the jobs that update bulks. Call it before the job queues start. */
export function defineBulk(ports: BulkPorts): void {
  ports.jobs.define<BulkJob>(BULK_QUEUE, bulkHandler(ports), { concurrency: CONCURRENCY, waits: ports.isClosed });
}

const DUE = { name: 'services.bulk', table: 'services.bulk', column: 'due_at', postponeMs: 60_000 } as const;

/** Updates bulks whose services have not reported a change for a minute, and bulks whose rollback takes too long. */
export function bulkSweeper(ports: Ports): Sweeper {
  const progress = new BulkProgress(ports);
  return dueSweeper({ ...ports, waits: ports.isClosed }, DUE, async (tx, id) => {
    await progress.advance(tx, await tx.findOneOrFail(Bulk, { id }));
  });
}
