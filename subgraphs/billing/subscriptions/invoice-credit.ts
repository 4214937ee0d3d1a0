import { randomUUID } from 'node:crypto';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { Decimal, sum } from '../../../kernel/values/money.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import { invoicePaid } from '../invoices/invoice.events.ts';
import { InvoiceStatus } from '../invoices/invoice.states.ts';
import { InvoiceLine } from '../invoices/invoice-line.entity.ts';
import { type LedgerAccount, post } from '../ledger/ledger.ts';

/**
 * Gives back a part of an invoice without a document: it lowers what is due, and the rest becomes credit of the account.
 * The caller has locked the invoice.
 */
export async function creditInvoice(
  tx: EntityManager,
  { invoice, lines }: { invoice: Invoice; lines: readonly { net: Decimal }[] },
  now: Date,
): Promise<void> {
  const amount = sum(lines.map(({ net }) => net));
  const lowered = Decimal.min(amount, invoice.amountOpen);
  invoice.amountCredited = invoice.amountCredited.plus(lowered);
  invoice.updatedAt = now;
  const { organizationId, accountId, currency, id: invoiceId, status } = invoice;
  const transfer = { organizationId, accountId, currency, invoiceId, source: `${invoiceId}:${randomUUID()}`, at: now };
  const give = (credit: LedgerAccount, part: Decimal, kind: string) =>
    post(tx, { ...transfer, kind, debit: 'revenue', credit, amount: part });
  await give('receivable', lowered, 'credit');
  await give('credit', amount.minus(lowered), 'returned');
  if (lowered.isZero() || !invoice.amountDue.isZero()) return;
  if (invoice.amountPaid.isZero()) invoice.moveTo(InvoiceStatus.CANCELLED, now);
  else {
    invoice.moveTo(InvoiceStatus.PAID, now);
    const issued = { invoice, lines: await tx.find(InvoiceLine, { invoiceId }, { orderBy: { position: 'asc' } }) };
    await record(tx, invoicePaid(issued, status, null));
  }
}
