import { registerEnumType } from 'type-graphql';

/** How an account gets its invoices. */
export enum InvoiceDelivery {
  EMAIL = 'email',
  NONE = 'none',
}
registerEnumType(InvoiceDelivery, {
  name: 'InvoiceDelivery',
  description: 'How an account gets its invoices.',
  valuesConfig: {
    EMAIL: { description: 'By e-mail, to the billing contact of the account.' },
    NONE: { description: 'Not at all. Get them from the API.' },
  },
});
