import { registerEnumType } from 'type-graphql';

/** Why a credit note was issued. */
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
    PRORATION: { description: 'A service changed within a period that was billed already.' },
    CANCEL: { description: 'A service ended within a period that was billed already.' },
    MANUAL: { description: 'A request to correct an invoice.' },
    GOODWILL: { description: 'Credit without an invoice, for example as an apology.' },
  },
});
