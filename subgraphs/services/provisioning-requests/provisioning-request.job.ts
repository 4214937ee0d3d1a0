import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { ProvisioningRequest } from './provisioning-request.entity.ts';
import type { ProvisioningRequestService } from './provisioning-request.service.ts';
import { isKnownToEarlierReleases } from './provisioning-request-terms.ts';

const QUEUE = 'services.provisioning-request';
/**
 * Queue of the jobs for requests that an earlier release cannot order. During an upgrade, processes of the earlier release
 * do not read this queue.
 */
const NEW_QUEUE = 'services.provisioning-request-any';
/**
 * Maximum number of retries, which take about four hours. The job is retried while the database or another domain is
 * unavailable.
 */
const RETRY_LIMIT = 50;

interface BeginJob {
  organizationId: string;
  requestId: string;
  /**
   * Preferred date of the request when the job was created. If the request now has another date, the job does nothing.
   * The job does not compare the date with the current time, because the clock of the queue may be ahead of the
   * platform's clock.
   */
  preferredDate: string;
}

/**
 * Enqueues the job that starts a provisioning request at the time `at`. The job exists only if the transaction commits.
 */
export function enqueueBeginning(jobs: Jobs, tx: EntityManager, request: ProvisioningRequest, at: Date): Promise<void> {
  const { organizationId, id, terms } = request;
  const job: BeginJob = { organizationId, requestId: id, preferredDate: at.toISOString() };
  return jobs.enqueue(tx, isKnownToEarlierReleases(terms) ? QUEUE : NEW_QUEUE, job, { startAfter: at });
}

/**
 * Defines the queues of the jobs that start requests. Call it before the job queues start. Jobs of a suspended
 * organization wait.
 */
export function defineBeginning(
  { jobs, isSuspended }: Pick<Ports, 'jobs' | 'isSuspended'>,
  serviceOf: (organizationId: string) => ProvisioningRequestService,
): void {
  for (const queue of [QUEUE, NEW_QUEUE])
    jobs.define<BeginJob>(
      queue,
      ({ organizationId, requestId, preferredDate }) => serviceOf(organizationId).beginScheduled(requestId, new Date(preferredDate)),
      { retryLimit: RETRY_LIMIT, waits: isSuspended },
    );
}
