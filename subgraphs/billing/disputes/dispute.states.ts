import { registerEnumType } from 'type-graphql';

/** State of a dispute. */
export enum DisputeStatus {
  OPEN = 'open',
  WON = 'won',
  LOST = 'lost',
}
registerEnumType(DisputeStatus, {
  name: 'DisputeStatus',
  description: 'State of a dispute.',
  valuesConfig: {
    OPEN: { description: 'The payment processor has taken the money back, and the bank has not decided yet.' },
    WON: { description: 'The payment processor has returned the money, or has never taken it.' },
    LOST: { description: 'The money went back to the customer.' },
  },
});
