import { registerEnumType } from 'type-graphql';

/** Kind of charge of an invoice line. */
export enum LineKind {
  SERVICE = 'service',
  RECURRING = 'recurring',
  PRORATION = 'proration',
  FEE = 'fee',
  USAGE = 'usage',
}
registerEnumType(LineKind, {
  name: 'LineKind',
  description: 'Kind of charge of an invoice line.',
  valuesConfig: {
    SERVICE: { description: 'A line of the request that created the invoice.' },
    RECURRING: { description: 'A whole period of a service, in advance.' },
    PRORATION: { description: 'A part of a period, after a change of the service.' },
    FEE: { description: 'A price that is charged once, such as the installation of a service.' },
    USAGE: { description: 'Metered usage of a period that has ended.' },
  },
});
