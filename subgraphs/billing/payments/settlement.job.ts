import type { Ports } from '../../../kernel/domain.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { Payment } from './payment.entity.ts';
import type { PaymentAttempts } from './payment-attempts.ts';
import { Refund } from './refund.entity.ts';

export const SETTLEMENTS = 'billing.settle';
const MINUTE_MS = 60_000;
/**
 * Delays before the platform asks for an unknown outcome: the first delay counts from the payment or refund, each other delay from the
 * previous attempt. The last delay is repeated.
 */
const DELAYS_MS = [5 * MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS];
const CONCURRENCY = 4;

interface SettlementJob {
  organizationId: string;
  paymentId?: string;
  refundId?: string;
}

/** Returns the time at which the platform first asks for the outcome of a new payment or refund, if it is still unknown. */
export const firstLookup = (now: Date): Date => new Date(now.getTime() + (DELAYS_MS[0] as number));

const nextLookup = ({ lookups }: { lookups: number }, now: Date): Date =>
  new Date(now.getTime() + (DELAYS_MS[Math.min(lookups, DELAYS_MS.length - 1)] as number));

/** Defines the queue of the jobs that ask the processor for unknown outcomes. Call it before the job queues start. */
export function defineSettlement({ jobs, isClosed }: Pick<Ports, 'jobs' | 'isClosed'>, attempts: PaymentAttempts): void {
  const handle = async ({ organizationId, paymentId, refundId }: SettlementJob): Promise<void> => {
    if (paymentId) await attempts.lookUpPayment(organizationId, paymentId);
    if (refundId) await attempts.lookUpRefund(organizationId, refundId);
  };
  jobs.define<SettlementJob>(SETTLEMENTS, handle, { concurrency: CONCURRENCY, waits: isClosed });
}

/**
 * Creates the sweepers that enqueue jobs for payments and refunds whose outcome is unknown. The job asks the processor,
 * because a sweeper must not wait for the processor.
 */
export function settlementSweepers(ports: Ports): Sweeper[] {
  const payments = { name: 'billing.payments', table: 'billing.payment', column: 'settle_due_at', postponeMs: MINUTE_MS } as const;
  const refunds = { name: 'billing.refunds', table: 'billing.refund', column: 'settle_due_at', postponeMs: MINUTE_MS } as const;
  return [
    dueSweeper(ports, payments, async (tx, id, now) => {
      const payment = await tx.findOneOrFail(Payment, { id });
      payment.lookups += 1;
      payment.settleDueAt = nextLookup(payment, now);
      await ports.jobs.enqueue(tx, SETTLEMENTS, { organizationId: payment.organizationId, paymentId: id } satisfies SettlementJob);
    }),
    dueSweeper(ports, refunds, async (tx, id, now) => {
      const refund = await tx.findOneOrFail(Refund, { id });
      refund.lookups += 1;
      refund.settleDueAt = nextLookup(refund, now);
      await ports.jobs.enqueue(tx, SETTLEMENTS, { organizationId: refund.organizationId, refundId: id } satisfies SettlementJob);
    }),
  ];
}
