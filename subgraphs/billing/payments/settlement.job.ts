import type { Ports } from '../../../kernel/domain.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { Payment } from './payment.entity.ts';
import type { PaymentAttempts } from './payment-attempts.ts';
import { Refund } from './refund.entity.ts';

const QUEUE = 'billing.settle';
const MINUTE_MS = 60_000;
/** How long after the request an unknown outcome is looked up, and then after each look-up. The last delay repeats. */
const DELAYS_MS = [5 * MINUTE_MS, 60 * MINUTE_MS, 24 * 60 * MINUTE_MS];
const CONCURRENCY = 4;

interface SettlementJob {
  organizationId: string;
  paymentId?: string;
  refundId?: string;
}

/** When a new payment or refund is looked up if its outcome stays unknown. */
export const firstLookup = (now: Date): Date => new Date(now.getTime() + (DELAYS_MS[0] as number));

const nextLookup = ({ lookups }: { lookups: number }, now: Date): Date =>
  new Date(now.getTime() + (DELAYS_MS[Math.min(lookups, DELAYS_MS.length - 1)] as number));

/** Defines the queue of the jobs that look up unknown outcomes. Call it before the job queues start. */
export function defineSettlement({ jobs, isClosed }: Pick<Ports, 'jobs' | 'isClosed'>, attempts: PaymentAttempts): void {
  const handle = async ({ organizationId, paymentId, refundId }: SettlementJob): Promise<void> => {
    if (paymentId) await attempts.lookUpPayment(organizationId, paymentId);
    if (refundId) await attempts.lookUpRefund(organizationId, refundId);
  };
  jobs.define<SettlementJob>(QUEUE, handle, { concurrency: CONCURRENCY, waits: isClosed });
}

/** Enqueue the jobs that look up payments and refunds whose outcome is unknown: a job may wait for the processor, a sweep may not. */
export function settlementSweepers(ports: Ports): Sweeper[] {
  const payments = { name: 'billing.payments', table: 'billing.payment', column: 'settle_due_at', postponeMs: MINUTE_MS } as const;
  const refunds = { name: 'billing.refunds', table: 'billing.refund', column: 'settle_due_at', postponeMs: MINUTE_MS } as const;
  return [
    dueSweeper(ports, payments, async (tx, id, now) => {
      const payment = await tx.findOneOrFail(Payment, { id });
      payment.lookups += 1;
      payment.settleDueAt = nextLookup(payment, now);
      await ports.jobs.enqueue(tx, QUEUE, { organizationId: payment.organizationId, paymentId: id } satisfies SettlementJob);
    }),
    dueSweeper(ports, refunds, async (tx, id, now) => {
      const refund = await tx.findOneOrFail(Refund, { id });
      refund.lookups += 1;
      refund.settleDueAt = nextLookup(refund, now);
      await ports.jobs.enqueue(tx, QUEUE, { organizationId: refund.organizationId, refundId: id } satisfies SettlementJob);
    }),
  ];
}
