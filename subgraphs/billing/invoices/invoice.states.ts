import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum InvoiceStatus {
  PENDING = 'pending',
  PAID = 'paid',
  OVERDUE = 'overdue',
  CANCELLED = 'cancelled',
}
registerEnumType(InvoiceStatus, { name: 'InvoiceStatus', description: 'Specification 3.2.' });

/** See docs/decisions/billing.md. A failed attempt to pay does not change the state of an invoice. */
export const invoiceStates = new StateMachine<InvoiceStatus>('invoice', {
  pending: [InvoiceStatus.PAID, InvoiceStatus.OVERDUE, InvoiceStatus.CANCELLED],
  overdue: [InvoiceStatus.PAID, InvoiceStatus.CANCELLED],
  paid: [],
  cancelled: [],
});
