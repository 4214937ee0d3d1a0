import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Invoice } from './invoice.entity.ts';
import { invoicePaid, invoiceUpdated } from './invoice.events.ts';
import { InvoiceStatus } from './invoice.states.ts';
import { issuedOf } from './issued-invoice.ts';

/**
 * Completes a locked invoice of which nothing is due any more. By payments or credit of the account it becomes `paid`, and so
 * does an invoice about nothing. By credit notes alone it becomes `cancelled`. `paymentId` is the payment that paid the rest.
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
