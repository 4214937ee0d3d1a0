import { registerEnumType } from 'type-graphql';

/** Why an invoice is delivered. */
export enum DeliveryCause {
  ISSUE = 'issue',
  REQUEST = 'request',
}
registerEnumType(DeliveryCause, {
  name: 'InvoiceDeliveryCause',
  description: 'Why an invoice is delivered.',
  valuesConfig: {
    ISSUE: { description: 'It was issued, and the account gets its invoices by e-mail.' },
    REQUEST: { description: 'Somebody asked to send it.' },
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
