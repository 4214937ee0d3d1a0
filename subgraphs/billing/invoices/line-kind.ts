import { registerEnumType } from 'type-graphql';

/** What a line of an invoice bills. */
export enum LineKind {
  SERVICE = 'service',
  RECURRING = 'recurring',
  PRORATION = 'proration',
  FEE = 'fee',
  USAGE = 'usage',
}
registerEnumType(LineKind, {
  name: 'LineKind',
  description: 'What a line of an invoice bills.',
  valuesConfig: {
    SERVICE: { description: 'What a request to create the invoice stated.' },
    RECURRING: { description: 'A whole period of a service, in advance.' },
    PRORATION: { description: 'A part of a period, after a change of the service.' },
    FEE: { description: 'A price that is charged once, such as the installation of a service.' },
    USAGE: { description: 'Metered usage of a period that has ended.' },
  },
});
