import { registerEnumType } from 'type-graphql';

/** State of a payment or a refund (specification 3.3). */
export enum PaymentStatus {
  PENDING = 'pending',
  SUCCESSFUL = 'successful',
  FAILED = 'failed',
}
registerEnumType(PaymentStatus, {
  name: 'PaymentStatus',
  description: 'State of a payment or of a refund.',
  valuesConfig: {
    PENDING: { description: 'The payment processor has not reported the outcome yet.' },
    SUCCESSFUL: { description: 'The money was moved.' },
    FAILED: { description: 'No money was moved.' },
  },
});

/** Origin of a payment: an API request, or automatic payment. */
export enum PaymentOrigin {
  REQUEST = 'request',
  AUTO = 'auto',
}
registerEnumType(PaymentOrigin, {
  name: 'PaymentOrigin',
  description: 'Who started a payment.',
  valuesConfig: {
    REQUEST: { description: 'A caller of the API.' },
    AUTO: { description: 'The platform, because the account pays its invoices automatically.' },
  },
});
