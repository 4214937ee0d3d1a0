import type { EntityManager } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import type { ProcessorNotice } from '../processors/payment-processor.ts';
import { Payment } from './payment.entity.ts';
import { Refund } from './refund.entity.ts';
import { giveBack, requireSettled, settleRefund } from './settlement.ts';

export type RefundNotice = Extract<ProcessorNotice, { kind: 'refund' }>;

const REASON = 'Refunded at the payment processor';

/**
 * Records a refund that somebody made directly at the payment processor, so that the ledger agrees with the processor. The refund is
 * recorded when its money has been moved. A repeated report of the same refund changes nothing.
 */
export async function recordExternalRefund(tx: EntityManager, paymentId: string, notice: RefundNotice, now: Date): Promise<void> {
  const { amount, outcome } = notice;
  const { reference } = outcome;
  const { invoiceId } = await tx.findOneOrFail(Payment, { id: paymentId });
  // only a charge that has succeeded can be refunded
  if (outcome.state === 'succeeded') await requireSettled(tx, paymentId, notice.charge, now);
  const invoice = await tx.findOneOrFail(Invoice, { id: invoiceId }, LOCKED);
  const payment = await tx.findOneOrFail(Payment, { id: paymentId }, { ...LOCKED, refresh: true });
  const known = await tx.findOne(Refund, { paymentId, reference });
  if (known) return void (await settleRefund(tx, known.id, outcome, now));
  if (outcome.state !== 'succeeded') return;
  const { organizationId, accountId, currency } = payment;
  const refund = Object.assign(new Refund(), {
    ...{ id: newId('refund'), organizationId, accountId, paymentId, amount, currency, reference, reason: REASON },
    ...{ processedAt: now, createdAt: now, updatedAt: now },
  });
  tx.persist(refund);
  await giveBack(tx, { invoice, payment, refund }, now);
}
