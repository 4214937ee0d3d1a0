import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { ProvisioningRequest } from './provisioning-request.entity.ts';
import type { ProvisioningRequestService } from './provisioning-request.service.ts';

const QUEUE = 'services.provisioning-request';
/**
 * Maximum number of retries, which take about four hours. The job is retried while the database or another domain is
 * unavailable.
 */
const RETRY_LIMIT = 50;

interface BeginJob {
  organizationId: string;
  requestId: string;
  /**
   * Date of the request when the job was created. The job starts the request only if the request still has this date.
   * The job does not compare the date with the current time, because the clock of the queue may be ahead of the
   * platform's clock.
   */
  preferredDate: string;
}

/**
 * Enqueues the job that starts a provisioning request at the time `at`. The job exists only if the transaction commits.
 */
export function enqueueBeginning(jobs: Jobs, tx: EntityManager, { organizationId, id }: ProvisioningRequest, at: Date): Promise<void> {
  const job: BeginJob = { organizationId, requestId: id, preferredDate: at.toISOString() };
  return jobs.enqueue(tx, QUEUE, job, { startAfter: at });
}

/**
 * Defines the queue of the jobs that start requests. Call it before the job queues start. Jobs of a suspended
 * organization wait.
 */
export function defineBeginning(
  { jobs, isSuspended }: Pick<Ports, 'jobs' | 'isSuspended'>,
  serviceOf: (organizationId: string) => ProvisioningRequestService,
): void {
  jobs.define<BeginJob>(
    QUEUE,
    ({ organizationId, requestId, preferredDate }) => serviceOf(organizationId).beginScheduled(requestId, new Date(preferredDate)),
    { retryLimit: RETRY_LIMIT, waits: isSuspended },
  );
}
