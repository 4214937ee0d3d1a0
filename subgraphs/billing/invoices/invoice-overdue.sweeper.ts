import type { Ports } from '../../../kernel/domain.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { dueSweeper, type Sweeper } from '../../../kernel/records/due.ts';
import { Invoice } from './invoice.entity.ts';
import { invoiceOverdue } from './invoice.events.ts';
import { InvoiceStatus } from './invoice.states.ts';
import { issuedOf } from './issued-invoice.ts';

const DUE = { name: 'billing.overdue', table: 'billing.invoice', column: 'status_due_at', postponeMs: 60_000 } as const;

/** Makes pending invoices overdue at the end of the day by which they must be paid. */
export const overdueSweeper = (ports: Ports): Sweeper =>
  dueSweeper({ ...ports, waits: ports.isClosed }, DUE, async (tx, id, now) => {
    const invoice = await tx.findOneOrFail(Invoice, { id });
    invoice.moveTo(InvoiceStatus.OVERDUE, now);
    await record(tx, invoiceOverdue(await issuedOf(tx, invoice)));
  });
