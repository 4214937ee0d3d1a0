import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Service } from '../inventory/service.entity.ts';

/** Queue of the jobs that ask the provider to build or release services. */
export const CONVERGE_QUEUE = 'services.converge';
/**
 * Queue of the jobs that change services. Processes of the platform's previous release do not take these jobs, because
 * they cannot change services.
 */
export const CHANGE_QUEUE = 'services.apply-change';
/**
 * Queue like `CONVERGE_QUEUE` for the services of bulks that are not provisioned yet. It is separate so that a bulk
 * does not delay services that are ordered alone. Processes of the platform's previous release do not take these jobs,
 * because they do not know held services.
 */
export const BULK_CONVERGE_QUEUE = 'services.converge-bulk';
/**
 * Queue of the jobs that block and unblock services. Processes of the platform's previous release do not take these jobs, because they do
 * not block services.
 */
export const BLOCK_QUEUE = 'services.block';
/** Queue of the jobs that update bulks after their services or changes have changed. */
export const BULK_QUEUE = 'services.bulk';
/** Queue that earlier releases used for the jobs of `CONVERGE_QUEUE`. Its jobs are handled in the same way. */
export const FORMER_QUEUE = 'services.provision';

export interface ConvergeJob {
  organizationId: string;
  serviceId: string;
  /** Number of the job. Undefined for jobs of earlier releases. */
  number?: number;
}

/**
 * Enqueues the job that lets the provider build or release a service. The job exists only if the transaction commits. From then on, jobs of
 * the service with a lower number do nothing when they start, in any of these queues. The transaction must have locked the row of the
 * service, unless the service is new.
 */
export function enqueueConverge(jobs: Jobs, tx: EntityManager, service: Service, startAfter?: Date): Promise<void> {
  return enqueue(jobs, tx, service.bulkId && !service.provisionedAt ? BULK_CONVERGE_QUEUE : CONVERGE_QUEUE, service, startAfter);
}

/** Enqueues the first jobs of new services of a bulk with one statement. The services must not be stored yet. */
export function enqueueBuilds(jobs: Jobs, tx: EntityManager, services: readonly Service[]): Promise<void> {
  return jobs.enqueueAll(tx, BULK_CONVERGE_QUEUE, services.map(nextJob));
}

/**
 * Enqueues the job that applies the changes of a service. As with `enqueueConverge`, jobs of the service with a lower number do nothing
 * from then on, and the transaction must have locked the row of the service.
 */
export function enqueueChanges(jobs: Jobs, tx: EntityManager, service: Service, startAfter?: Date): Promise<void> {
  return enqueue(jobs, tx, CHANGE_QUEUE, service, startAfter);
}

/**
 * Enqueues the job that blocks or unblocks a service at the provider. As with `enqueueConverge`, jobs of the service with a lower number do
 * nothing from then on, and the transaction must have locked the row of the service.
 */
export function enqueueBlock(jobs: Jobs, tx: EntityManager, service: Service): Promise<void> {
  return enqueue(jobs, tx, BLOCK_QUEUE, service);
}

function enqueue(jobs: Jobs, tx: EntityManager, queue: string, service: Service, startAfter?: Date): Promise<void> {
  return jobs.enqueue(tx, queue, nextJob(service), { startAfter });
}

function nextJob(service: Service): ConvergeJob {
  service.jobNumber += 1;
  const { organizationId, id: serviceId, jobNumber: number } = service;
  return { organizationId, serviceId, number };
}

export interface BulkJob {
  organizationId: string;
  bulkId: string;
}

/**
 * Enqueues the job that updates the bulk of a service or service change. Does nothing if there is no bulk. The transaction must not lock
 * the bulk itself, because a bulk is always locked before its services.
 */
export async function wakeBulk(
  jobs: Jobs,
  tx: EntityManager,
  { organizationId, bulkId }: { organizationId: string; bulkId: string | null },
): Promise<void> {
  if (bulkId) await jobs.enqueue(tx, BULK_QUEUE, { organizationId, bulkId } satisfies BulkJob);
}
