import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { post } from '../ledger/ledger.ts';
import type { Invoice } from './invoice.entity.ts';
import { InvoiceNotChangeable } from './invoice.errors.ts';
import { invoiceUpdated } from './invoice.events.ts';
import { InvoiceStatus } from './invoice.states.ts';
import { issuedOf } from './issued-invoice.ts';

/**
 * Writes off the unpaid amount of a locked invoice: the amount becomes an expense, and the invoice is cancelled. The tax stays posted,
 * because only some countries give it back.
 * @throws InvoiceNotChangeable if no amount is due, or if a payment is in progress
 */
export async function writeOff(tx: EntityManager, invoice: Invoice, reason: string, now: Date): Promise<void> {
  const { id, organizationId, accountId, currency, status: from, amountDue: amount } = invoice;
  if (amount.isZero()) throw new InvoiceNotChangeable(invoice, from, `it is ${from}, so that nothing is due`);
  if (!invoice.amountReserved.isZero()) throw new InvoiceNotChangeable(invoice, 'in_flight', 'the outcome of a payment is not known yet');
  invoice.amountWrittenOff = amount;
  invoice.writeOffReason = reason;
  invoice.moveTo(InvoiceStatus.CANCELLED, now);
  const transfer = { organizationId, accountId, currency, source: id, invoiceId: id, at: now };
  await post(tx, { ...transfer, kind: 'write_off', debit: 'writeoff', credit: 'receivable', amount });
  await record(tx, invoiceUpdated(await issuedOf(tx, invoice), { status: { from, to: InvoiceStatus.CANCELLED } }));
}
