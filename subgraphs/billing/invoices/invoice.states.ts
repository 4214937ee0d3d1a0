import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum InvoiceStatus {
  PENDING = 'pending',
  PAID = 'paid',
  OVERDUE = 'overdue',
  CANCELLED = 'cancelled',
}
registerEnumType(InvoiceStatus, {
  name: 'InvoiceStatus',
  description: 'State of an invoice.',
  valuesConfig: {
    PENDING: { description: 'Issued and not paid yet.' },
    PAID: { description: 'Paid in full. It is open again only if the payment processor takes a payment back.' },
    OVERDUE: { description: 'Not paid by its due date.' },
    CANCELLED: { description: 'Withdrawn. No payment is due. This state is final.' },
  },
});

/**
 * State machine of invoices; see docs/decisions/billing.md. A failed payment attempt does not change the state. No request can
 * reopen a paid invoice; only `Invoice.reopen` does, after the payment processor has taken a payment back.
 */
export const invoiceStates = new StateMachine<InvoiceStatus>('invoice', {
  pending: [InvoiceStatus.PAID, InvoiceStatus.OVERDUE, InvoiceStatus.CANCELLED],
  overdue: [InvoiceStatus.PENDING, InvoiceStatus.PAID, InvoiceStatus.CANCELLED],
  paid: [],
  cancelled: [],
});
