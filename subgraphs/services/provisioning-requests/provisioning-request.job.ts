import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { ProvisioningRequest } from './provisioning-request.entity.ts';
import type { ProvisioningRequestService } from './provisioning-request.service.ts';

const QUEUE = 'services.provisioning-request';
/** About four hours: what is due waits for a database or a domain that is away. */
const RETRY_LIMIT = 50;

interface BeginJob {
  organizationId: string;
  requestId: string;
  /** The date for which the job was made. It is compared and not the clock: that of the queue may be ahead of ours. */
  preferredDate: string;
}

/** Has a request begin at its date: the job exists if, and only if, the transaction commits. */
export function enqueueBeginning(jobs: Jobs, tx: EntityManager, { organizationId, id }: ProvisioningRequest, at: Date): Promise<void> {
  const job: BeginJob = { organizationId, requestId: id, preferredDate: at.toISOString() };
  return jobs.enqueue(tx, QUEUE, job, { startAfter: at });
}

/** States the queue; before the jobs start. What a suspended organization has begun ends, and nothing of it begins. */
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
