import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum InvoiceStatus {
  PENDING = 'pending',
  PAID = 'paid',
  OVERDUE = 'overdue',
  CANCELLED = 'cancelled',
}
registerEnumType(InvoiceStatus, { name: 'InvoiceStatus', description: 'Specification 3.2.' });

/** docs/decisions.md, States. Attempts to pay are kept apart from it: a failed one leaves an invoice as it is. */
export const invoiceStates = new StateMachine<InvoiceStatus>('invoice', {
  pending: [InvoiceStatus.PAID, InvoiceStatus.OVERDUE, InvoiceStatus.CANCELLED],
  overdue: [InvoiceStatus.PAID, InvoiceStatus.CANCELLED],
  paid: [],
  cancelled: [],
});
