import { registerEnumType } from 'type-graphql';

export enum PaymentMethodStatus {
  ACTIVE = 'active',
  DETACHED = 'detached',
}
registerEnumType(PaymentMethodStatus, {
  name: 'PaymentMethodStatus',
  description: 'Whether a payment method can be charged.',
  valuesConfig: {
    ACTIVE: { description: 'It can be charged.' },
    DETACHED: { description: 'It was removed from its account. Earlier payments still show it. To charge it again, add it again.' },
  },
});
