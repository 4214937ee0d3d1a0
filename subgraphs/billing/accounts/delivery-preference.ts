import { registerEnumType } from 'type-graphql';

/** Way in which an account gets its invoices. */
export enum DeliveryPreference {
  EMAIL = 'email',
  NONE = 'none',
}
registerEnumType(DeliveryPreference, {
  name: 'DeliveryPreference',
  description: 'How an account gets its invoices.',
  valuesConfig: {
    EMAIL: { description: 'By e-mail, to the billing contact of the account.' },
    NONE: { description: 'Not at all. Get them from the API.' },
  },
});
