import { registerEnumType } from 'type-graphql';

/** Cause of the delivery of an invoice. */
export enum DeliveryCause {
  ISSUE = 'issue',
  REQUEST = 'request',
}
registerEnumType(DeliveryCause, {
  name: 'InvoiceDeliveryCause',
  description: 'Why an invoice is delivered.',
  valuesConfig: {
    ISSUE: { description: 'The invoice was issued, and the account gets its invoices by e-mail.' },
    REQUEST: { description: 'A caller asked to send the invoice.' },
  },
});

/** Result of a delivery so far. */
export enum DeliveryStatus {
  QUEUED = 'queued',
  SENT = 'sent',
  FAILED = 'failed',
  DROPPED = 'dropped',
}
registerEnumType(DeliveryStatus, {
  name: 'InvoiceDeliveryStatus',
  description: 'Result of a delivery so far.',
  valuesConfig: {
    QUEUED: { description: 'The e-mail waits to be sent, or to be tried again.' },
    SENT: { description: 'The mail server accepted the e-mail.' },
    FAILED: { description: 'The e-mail could not be delivered, and is not tried again.' },
    DROPPED: { description: 'The invoice was cancelled before it was sent.' },
  },
});
