import { registerEnumType } from 'type-graphql';

/** Reason for which a credit note was created. */
export enum CreditCause {
  PRORATION = 'proration',
  CANCEL = 'cancel',
  MANUAL = 'manual',
  GOODWILL = 'goodwill',
}
registerEnumType(CreditCause, {
  name: 'CreditCause',
  description: 'Why a credit note was issued.',
  valuesConfig: {
    PRORATION: { description: 'The price or the subscription of a service changed within a period that was billed already.' },
    CANCEL: { description: 'A service ended within a period that was billed already.' },
    MANUAL: { description: 'A request to correct an invoice.' },
    GOODWILL: { description: 'Credit without an invoice, for example as an apology.' },
  },
});
