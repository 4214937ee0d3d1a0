import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Invoice } from './invoice.entity.ts';
import { invoicePaid, invoiceUpdated } from './invoice.events.ts';
import { InvoiceStatus } from './invoice.states.ts';
import { issuedOf } from './issued-invoice.ts';

/**
 * Completes a locked invoice if no amount of it is due any more. If payments or credit of the account cover it, or its amount is 0, it
 * becomes `paid`. If only credit notes cover it, it becomes `cancelled`. `paymentId` is the payment that paid the remaining amount.
 */
export async function closeIfCovered(tx: EntityManager, invoice: Invoice, paymentId: string | null, now: Date): Promise<void> {
  const { status: from, amount, amountPaid, creditApplied } = invoice;
  const isOpen = from === InvoiceStatus.PENDING || from === InvoiceStatus.OVERDUE;
  if (!isOpen || !invoice.amountDue.isZero()) return;
  const isPaid = amount.isZero() || !amountPaid.plus(creditApplied).isZero();
  invoice.moveTo(isPaid ? InvoiceStatus.PAID : InvoiceStatus.CANCELLED, now);
  const issued = await issuedOf(tx, invoice);
  await record(
    tx,
    isPaid ? invoicePaid(issued, from, paymentId) : invoiceUpdated(issued, { status: { from, to: InvoiceStatus.CANCELLED } }),
  );
}
