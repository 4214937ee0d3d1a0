import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import type { PaymentProcessor } from '../processors/payment-processor.ts';
import { PaymentMethod } from './payment-method.entity.ts';
import { PaymentMethodStatus } from './payment-method.states.ts';

const QUEUE = 'billing.detach';
const RETRIES = { retryLimit: 20, retryDelaySeconds: 30, retryDelayMaxSeconds: 3600 };

interface DetachmentJob {
  organizationId: string;
  id: string;
}

/** Defines the queue of the jobs that detach payment methods at the payment processor. Call it before the job queues start. */
export function defineDetachment({ jobs, orm, isClosed }: Pick<Ports, 'jobs' | 'orm' | 'isClosed'>, processor: PaymentProcessor): void {
  const handle = async ({ organizationId, id }: DetachmentJob): Promise<void> => {
    const method = await organizationEm(orm, organizationId).findOne(PaymentMethod, { id });
    // its token may have attached it again, and only its own processor can detach it
    if (method?.status !== PaymentMethodStatus.DETACHED || method.processor !== processor.name) return;
    await processor.detach(method.reference);
  };
  jobs.define<DetachmentJob>(QUEUE, handle, { ...RETRIES, waits: isClosed });
}

/** Detaches a payment method at the payment processor, after the transaction. */
export const enqueueDetachment = (jobs: Jobs, tx: EntityManager, { organizationId, id }: PaymentMethod): Promise<void> =>
  jobs.enqueue(tx, QUEUE, { organizationId, id } satisfies DetachmentJob);
